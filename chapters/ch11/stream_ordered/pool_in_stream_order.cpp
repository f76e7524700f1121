// The buffers come from a pool in stream order: taken before the stage that writes one, given back
// behind the stage that reads it, while the host runs ahead. Nothing but the sum ties a step to the
// one before it, so that two streams take steps in turn and an event keeps the order of the sum.
#include <memory>

#include "chapters/ch11/common/pool.hpp"
#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/stream_ordered/filters.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

struct State {
  Pool pool;
  SideStreams streams{"steps", 2};
  Event added;  // what the step before has to add
};

void run(const State& state, const lab::Launch& launch) {
  const FilterRun run(launch);
  enqueue_clear(run, launch.stream);
  state.streams.fork(launch.stream);
  for (std::int64_t step = 0; step < run.steps; ++step) {
    const lab::Range range("step");
    const cudaStream_t stream = state.streams[static_cast<int>(step % 2)];
    float* buffer = nullptr;
    for (int stage = 0; stage < filter_stages; ++stage) {
      auto* to = static_cast<float*>(state.pool.take(run.bytes(), stream));
      enqueue_stage(run, step, stage, stage == 0 ? run.x : buffer, to, stream);
      if (stage > 0) Pool::give_back(buffer, stream);
      buffer = to;
    }
    if (step > 0) state.added.hold(stream);
    enqueue_add(run, buffer, stream);
    state.added.record(stream);
    Pool::give_back(buffer, stream);
  }
  state.streams.join(launch.stream);
}

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>();
  setup.before_each_check([state](const lab::Launch& launch) {
    // A stream has two at once: what a stage reads and what it writes.
    state->pool.poison(2 * state->streams.count(), FilterRun(launch).bytes(), launch.stream);
  });
  return [state](const lab::Launch& launch) { run(*state, launch); };
}

const lab::RungEntry entry{
    "ch11:stream_ordered",
    {.name = "pool_in_stream_order",
     .step = 2,
     .builds_on = "malloc_and_free",
     .idea = "cudaMallocAsync from a pool that keeps its memory, steps on two streams",
     .look_at = "the host is ahead of the device; steps overlap up to their sum",
     .needs = lab::Needs::sm_80,
     .prepare = prepare}};

}  // namespace
