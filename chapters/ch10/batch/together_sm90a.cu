// Rung 1: the same kernels once. The perceptron takes all rows as one product per layer; the
// groups, whose weights differ, become the tiles of one persistent kernel that finds its group by
// itself.
#include "chapters/ch10/batch/hopper.cuh"
#include "tile/device/gemm/grouped.cuh"

using namespace aisp;

namespace {

using namespace ch10::batch;

struct GroupedProduct : tile::Sm90GroupedRecipe<paired, tile::Accumulator> {};

lab::Run prepare_groups(lab::Setup& setup) {
  // Two sets of buffers, say: the tables of each are written once.
  return lab::per_buffers([&setup](const lab::Launch& launch) -> lab::Enqueue {
    return tile::device::plan_grouped<GroupedProduct>(
        group_products(launch), {}, by_columns,
        [&setup](std::size_t bytes) { return setup.kept(bytes, "tables uploaded once"); });
  });
}

lab::Run prepare(lab::Setup& setup) {
  if (is_grouped(setup)) return prepare_groups(setup);
  const void* hidden = hidden_layer(setup);
  return lab::per_buffers([hidden](const lab::Launch& launch) {
    return in_turn(plan_layers(launch, hidden, 0, launch.dim(0)));
  });
}

const lab::RungEntry entry{"ch10:batch",
                           {.name = "together",
                            .step = 1,
                            .builds_on = "one_by_one",
                            .idea = "one product for all rows, or one grouped launch",
                            .look_at = "one launch per layer, or one in all; weights read once",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
