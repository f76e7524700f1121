// Reads past the page cache, several at once, into the same ring of pinned memory.
#include "chapters/ch10/gpudirect_storage/direct_ring.hpp"

#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

struct State {
  explicit State(lab::Setup& setup) : ring(setup) {}
  RungFiles files;
  DirectRing ring;
};

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>(setup);
  setup.stages_inputs({0});
  setup.before_each_run([state, &setup](const lab::Launch& launch) {
    state->ring.plan(launch);
    state->files.before_run(launch, setup,
                            [&](const InputFile& file) { return state->ring.path(file); });
  });
  return [state](const lab::Launch& launch) { state->ring.run(launch, state->files.of(launch)); };
}

const lab::RungEntry entry{"ch10:gpudirect_storage",
                           {.name = "direct_ring",
                            .step = 2,
                            .builds_on = "overlapped_chunks",
                            .idea = "O_DIRECT, several reads at once: no copy by the processor",
                            .look_at = "the processor's time in the kernel, the disk's queue",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .blocks_host = true,
                            .prepare = prepare}};

}  // namespace
