// Rung 0: every micro-batch, or every group, has launches of its own, one after the other on one
// stream. Each has a few tiles only, and each micro-batch reads all the weights again.
#include "chapters/ch10/batch/hopper.cuh"

using namespace aisp;

namespace {

using namespace ch10::batch;

struct GroupProduct : tile::Sm90Recipe<paired, tile::Accumulator, tile::Persistent> {};

lab::Enqueue bind_micro_batches(const lab::Launch& launch, const void* hidden) {
  const std::int64_t rows = launch.dim(0) / launch.dim(3);
  std::vector<PlannedRun> runs;
  for (std::int64_t batch = 0; batch < launch.dim(3); ++batch)
    for (PlannedRun& layer : plan_layers(launch, hidden, batch * rows, rows))
      runs.push_back(std::move(layer));
  return in_turn(std::move(runs));
}

lab::Enqueue bind_groups(const lab::Launch& launch) {
  std::vector<PlannedRun> runs;
  for (const GemmProblem& group : group_products(launch))
    if (group.m > 0) runs.push_back(plan<GroupProduct>(group, by_columns));
  return in_turn(std::move(runs));
}

lab::Run prepare(lab::Setup& setup) {
  if (is_grouped(setup)) return lab::per_buffers(bind_groups);
  const void* hidden = hidden_layer(setup);
  return lab::per_buffers(
      [hidden](const lab::Launch& launch) { return bind_micro_batches(launch, hidden); });
}

const lab::RungEntry entry{"ch10:batch",
                           {.name = "one_by_one",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one product per micro-batch or group, launched in turn",
                            .look_at = "a launch has fewer tiles than there are multiprocessors",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
