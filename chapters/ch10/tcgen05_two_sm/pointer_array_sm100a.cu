// Rung 3: the product as a batch whose members lie anywhere: four panels of rows of A and of D,
// each with addresses of its own in a table. One launch; pairs find their product by the tile's
// number and change tensor maps on the way.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/device/gemm/grouped.cuh"

using namespace aisp;

namespace {

using tile::device::GemmProblem;

constexpr int panels = 4;
constexpr tile::Sm100Config config{.tile_m = 256, .tile_n = 256, .stages = 5, .cta_group = 2};

struct PointerArrayRecipe : tile::Sm100GroupedRecipe<config, tile::Accumulator> {};

std::vector<GemmProblem> panels_of(const lab::Launch& launch) {
  const std::int64_t m = launch.dim(0), n = launch.dim(1), k = launch.dim(2);
  const auto at = [](const void* data, std::int64_t elements) {
    return static_cast<const char*>(data) + 2 * elements;
  };
  std::vector<GemmProblem> products;
  for (int panel = 0; panel < panels; ++panel) {
    const std::int64_t first = m * panel / panels, last = m * (panel + 1) / panels;
    GemmProblem product{.m = last - first, .n = n, .k = k};
    product.a = {.data = at(launch.in<void>(0), first * k), .stride = k};
    product.b = {.data = launch.in<void>(1), .stride = k};
    product.d = {.data = at(launch.out<void>(0), first * n), .stride = n};
    products.push_back(product);
  }
  return products;
}

lab::Run prepare(lab::Setup& setup) {
  chapters::say_what_a_block_holds<PointerArrayRecipe>(setup);
  return lab::per_buffers([&setup](const lab::Launch& launch) -> lab::Enqueue {
    return tile::device::plan_grouped<PointerArrayRecipe>(
        panels_of(launch), {}, {},
        [&setup](std::size_t bytes) { return setup.kept(bytes, "tables uploaded once"); });
  });
}

const lab::RungEntry entry{
    "ch10:tcgen05_two_sm",
    {.name = "pointer_array",
     .step = 3,
     .builds_on = "pair_256x256",
     .idea = "a batch of four panels of rows, each with addresses of its own",
     .look_at = "one launch; a tensor map is fetched where a pair enters another product",
     .needs = lab::Needs::sm_100a,
     .prepare = prepare}};

}  // namespace
