// The same file batch by batch, read by a thread of its own: while it reads one, the one before is
// copied, and the one before that multiplied.
#include "chapters/ch10/gpudirect_storage/host_ring.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

constexpr int slots = 4;

struct State {
  explicit State(lab::Setup& setup) : ring(setup, slots, 1) {}
  RungFiles files;
  HostRing ring;
};

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>(setup);
  setup.stages_inputs({0});
  setup.before_each_run([state, &setup](const lab::Launch& launch) {
    state->ring.plan(launch);
    state->files.before_run(launch, setup, [&](const InputFile&) {
      return "page cache, pinned ring, " + state->ring.description();
    });
  });
  return [state](const lab::Launch& launch) {
    const InputFile& file = state->files.of(launch);
    state->ring.run(launch, file.cached(), file.bytes());
  };
}

const lab::RungEntry entry{
    "ch10:gpudirect_storage",
    {.name = "overlapped_chunks",
     .step = 1,
     .builds_on = "read_then_copy",
     .idea = "a thread reads the next batch while one is copied and one multiplied",
     .look_at = "the time of copies and products is gone, that of the reads is left",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .blocks_host = true,
     .prepare = prepare}};

}  // namespace
