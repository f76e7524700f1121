// Rung 2: Blackwell. The same as `together` by its kernels: pairs of blocks for the perceptron's
// layers, one block a tile for the groups, which may have few rows.
#include "chapters/ch10/batch/products.cuh"
#include "tile/device/gemm/grouped.cuh"
#include "tile/device/gemm/plan_sm100.cuh"

using namespace aisp;

namespace {

using namespace ch10::batch;

constexpr tile::Sm100Config pair{.tile_m = 256, .tile_n = 64, .stages = 6, .cta_group = 2};
struct HiddenTcgen05 : tile::Sm100Recipe<pair, tile::Relu<tile::Accumulator>, tile::LaunchControl> {
};
struct OutputTcgen05 : tile::Sm100Recipe<pair, tile::Accumulator, tile::LaunchControl> {};

constexpr tile::Sm100Config one_block{.tile_n = 128, .stages = 5};
struct GroupedTcgen05 : tile::Sm100GroupedRecipe<one_block, tile::Accumulator> {};

lab::Run prepare_groups(lab::Setup& setup) {
  return lab::per_buffers([&setup](const lab::Launch& launch) -> lab::Enqueue {
    return tile::device::plan_grouped<GroupedTcgen05>(
        group_products(launch), {}, by_columns,
        [&setup](std::size_t bytes) { return setup.kept(bytes, "tables uploaded once"); });
  });
}

lab::Run prepare(lab::Setup& setup) {
  if (is_grouped(setup)) return prepare_groups(setup);
  const void* hidden = hidden_layer(setup);
  return lab::per_buffers([hidden](const lab::Launch& launch) {
    const std::int64_t rows = launch.dim(0), n = launch.dim(1), k = launch.dim(2);
    return in_turn({tile::device::plan<HiddenTcgen05>(
                        product(launch.in<void>(0), launch.in<void>(1), hidden, rows, n, k)),
                    tile::device::plan<OutputTcgen05>(
                        product(hidden, launch.in<void>(2), launch.out<void>(0), rows, k, n))});
  });
}

const lab::RungEntry entry{"ch10:batch",
                           {.name = "tcgen05_together",
                            .step = 2,
                            .builds_on = "together",
                            .idea = "the same launches by the kernels for tcgen05",
                            .look_at = "one launch per layer, or one in all; weights read once",
                            .needs = lab::Needs::sm_100a,
                            .prepare = prepare}};

}  // namespace
