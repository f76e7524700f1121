// The same reads in chunks, by a thread of their own: while it reads the next chunk, the last one
// is copied and computed.
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
  setup.before_each_run([state, &setup](const lab::Launch& launch) {
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
     .idea = "a thread reads the next chunk while one is copied and computed",
     .look_at = "the time of the copies is gone, that of the reads is left",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .blocks_host = true,
     .prepare = prepare}};

}  // namespace
