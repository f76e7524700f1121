// The kernel that takes every product: elements go one by one through registers.
#include "tests/system/mutation/one_kernel.cuh"
#include "tile/kernel/gemm_general.cuh"

using namespace aisp;

namespace {

using namespace mutation_test;

using Recipe =
    tile::GeneralRecipe<Element::bf16, Element::bf16,
                        tile::FragmentEpilogue<tile::Accumulator, Element::f32>, tile::Persistent>;
constexpr Sm90Config elements{.out = Element::f32};

tile::GeneralMatrix operand(const Matrix& matrix) {
  return {.data = matrix.data(),
          .row_stride = matrix.row_stride,
          .k_stride = matrix.column_stride,
          .batch_stride = 0,
          .rows = matrix.rows,
          .k = matrix.columns};
}

}  // namespace

int main() {
  const Size size{70, 120, 150};
  Operands operands(elements, size);
  constexpr auto config = Recipe::config;
  tile::GeneralParams<Recipe> params{};
  params.a = operand(operands.a);
  params.b = operand(operands.b);
  params.epilogue.out = {operands.d.data(), operands.d.row_stride, 1, 0, {size.m, size.n}};
  params.schedule = {.grid = {ceil_div(size.m, config.tile_m), ceil_div(size.n, config.tile_n)},
                     .k_blocks = ceil_div(size.k, config.tile_k)};
  tile::gemm_general<Recipe><<<2, config.threads()>>>(params);
  require(cudaDeviceSynchronize(), "the kernel");
  operands.d.download();
  check("product", size, operands.a, operands.b, operands.d);
  std::puts("ok");
  return 0;
}
