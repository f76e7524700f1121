// What one writes first: read the whole file, copy it to the device, compute. Each step is a good
// one by itself (blocks of 1 MiB, pinned memory, 16-byte loads), and each waits for the one before.
#include <algorithm>

#include "chapters/ch10/gpudirect_storage/input_file.hpp"
#include "chapters/ch10/gpudirect_storage/sums.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

struct State {
  explicit State(lab::Setup& setup)
      : host(setup.problem().inputs.at(0).bytes()),
        device(setup.scratch(static_cast<std::size_t>(setup.problem().inputs.at(0).bytes()))) {
    host.poison_before_checks(setup);
  }
  RungFiles files;
  PinnedMemory host;
  void* device;
};

void run(State& state, const lab::Launch& launch) {
  const InputFile& file = state.files.of(launch);
  for (std::int64_t at = 0; at < file.bytes(); at += dd_bytes)
    file.cached().read(state.host.get() + at, std::min(dd_bytes, file.bytes() - at), at);
  lab::check_cuda(
      cudaMemcpyAsync(state.device, state.host.get(), static_cast<std::size_t>(file.bytes()),
                      cudaMemcpyHostToDevice, launch.stream),
      "cudaMemcpyAsync of the file");
  enqueue_sums(static_cast<const float*>(state.device), launch.out<float>(0), launch.dim(0),
               launch.stream);
}

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>(setup);
  setup.before_each_run([state, &setup](const lab::Launch& launch) {
    state->files.before_run(launch, setup, [](const InputFile&) { return "page cache, in turn"; });
  });
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{"ch10:gpudirect_storage",
                           {.name = "read_then_copy",
                            .step = 0,
                            .builds_on = "",
                            .idea = "read the file, then copy it, then compute",
                            .look_at = "the device does nothing while the file is read",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .blocks_host = true,
                            .prepare = prepare}};

}  // namespace
