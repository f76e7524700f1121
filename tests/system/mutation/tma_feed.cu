// The kernel of Ampere, fed by TMA.
#include "tests/system/mutation/one_kernel.cuh"
#include "tile/device/gemm/plan_sm80.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

constexpr tile::Sm80Config config{
    .tile_m = 64, .tile_n = 64, .tile_k = 32, .stages = 3, .warps_m = 2, .warps_n = 2};
using Recipe = tile::Sm80Recipe<tile::MmaSync<Element::bf16>, config,
                                tile::FragmentEpilogue<tile::Accumulator, Element::f32>,
                                tile::Persistent, tile::TmaFeed>;
constexpr Sm90Config elements{.out = Element::f32};

}  // namespace

int main() {
  const Size size{70, 120, 280};
  Operands operands(elements, size);
  const tile::device::GemmProblem problem = operands.problem();
  using Loop = typename Recipe::MainLoop;
  tile::Sm80Params<Recipe> params{};
  params.a =
      tile::device::multistage_operand<Loop::Operand>(problem.a, Loop::a_tile, size.m, size.k, 1);
  params.b =
      tile::device::multistage_operand<Loop::Operand>(problem.b, Loop::b_tile, size.n, size.k, 1);
  params.epilogue.out = {operands.d.data(), operands.d.row_stride, 1, 0, {size.m, size.n}};
  params.schedule = {.grid = {ceil_div(size.m, config.tile_m), ceil_div(size.n, config.tile_n)},
                     .k_blocks = ceil_div(size.k, config.tile_k)};
  const auto kernel = tile::gemm_sm80<Recipe>;
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               Recipe::shared_bytes),
          "shared memory");
  for (int time = 0; time < 2; ++time)
    kernel<<<2, config.threads(), Recipe::shared_bytes>>>(params);
  require(cudaDeviceSynchronize(), "the kernel");
  operands.d.download();
  check("product", size, operands.a, operands.b, operands.d);
  std::puts("ok");
  return 0;
}
