// What one writes first: read the whole file, copy it to the device, multiply batch after batch.
// Each step is a good one by itself (blocks of 1 MiB, pinned memory, the library's products), and
// each waits for the one before.
#include <algorithm>

#include "chapters/ch10/gpudirect_storage/batches.hpp"
#include "chapters/ch10/gpudirect_storage/input_file.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

struct State {
  explicit State(lab::Setup& setup)
      : host(setup.problem().inputs.at(0).bytes()),
        device(static_cast<char*>(
            setup.scratch(static_cast<std::size_t>(setup.problem().inputs.at(0).bytes())))),
        shape(setup.problem().size),
        products(setup, [this](std::int64_t batch) { return device + batch * shape.bytes(); }) {
    host.poison_before_checks(setup);
  }
  RungFiles files;
  PinnedMemory host;
  char* device;
  BatchShape shape;
  BatchProducts products;
};

void run(State& state, const lab::Launch& launch) {
  const InputFile& file = state.files.of(launch);
  for (std::int64_t at = 0; at < file.bytes(); at += dd_bytes) {
    const lab::Range range(lab::storage_range);
    file.cached().read(state.host.get() + at, std::min(dd_bytes, file.bytes() - at), at);
  }
  lab::check_cuda(
      cudaMemcpyAsync(state.device, state.host.get(), static_cast<std::size_t>(file.bytes()),
                      cudaMemcpyHostToDevice, launch.stream),
      "cudaMemcpyAsync of the file");
  for (std::int64_t batch = 0; batch < state.shape.count; ++batch)
    state.products.multiply(launch, batch);
}

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>(setup);
  setup.stages_inputs({0});
  setup.before_each_run([state, &setup](const lab::Launch& launch) {
    state->products.plan(launch);
    state->files.before_run(launch, setup, [](const InputFile&) { return "page cache, in turn"; });
  });
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{"ch10:gpudirect_storage",
                           {.name = "read_then_copy",
                            .step = 0,
                            .builds_on = "",
                            .idea = "read the file, then copy it, then multiply its batches",
                            .look_at = "the device does nothing while the file is read",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .blocks_host = true,
                            .prepare = prepare}};

}  // namespace
