// What one writes next to malloc and free: sizes do not change, so that two buffers, allocated
// before the loop, serve all stages of all steps in turn. One stream keeps them apart; no call of
// the loop allocates or waits.
#include <array>

#include "chapters/ch11/stream_ordered/filters.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

using InTurn = std::array<float*, 2>;

void run(const InTurn& buffers, const lab::Launch& launch) {
  const FilterRun run(launch);
  enqueue_clear(run, launch.stream);
  for (std::int64_t step = 0; step < run.steps; ++step) {
    const lab::Range range("step");
    const float* from = run.x;
    for (int stage = 0; stage < filter_stages; ++stage) {
      float* to = buffers[static_cast<std::size_t>(stage % 2)];
      enqueue_stage(run, step, stage, from, to, launch.stream);
      from = to;
    }
    enqueue_add(run, from, launch.stream);
  }
}

lab::Run prepare(lab::Setup& setup) {
  const auto bytes = static_cast<std::size_t>(setup.problem().inputs.at(0).bytes());
  InTurn buffers{};
  for (float*& buffer : buffers) buffer = static_cast<float*>(setup.scratch(bytes));
  return [buffers](const lab::Launch& launch) { run(buffers, launch); };
}

const lab::RungEntry entry{"ch11:stream_ordered",
                           {.name = "allocated_once",
                            .step = 1,
                            .builds_on = "malloc_and_free",
                            .idea = "two buffers allocated before the loop, in turn, on one stream",
                            .look_at = "no allocation in the loop: the host only launches",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
