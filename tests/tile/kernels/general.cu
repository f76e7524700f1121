// The kernel that takes every product: all elements, both majors, odd strides, unaligned starts,
// alpha and beta, batches, against float64. Prints "ok" and returns 0 when all is right.
#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/kernel/gemm_general.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

using namespace gemm_test;

tile::GeneralMatrix operand(const Matrix& matrix) {
  return {.data = matrix.data(),
          .row_stride = matrix.row_stride,
          .k_stride = matrix.column_stride,
          .batch_stride = matrix.batch_stride,
          .rows = matrix.rows,
          .k = matrix.columns};
}

template <class Recipe>
void launch(const char* what, Size size, const Matrix& a, const Matrix& b,
            const typename Recipe::Epilogue::Params& epilogue) {
  constexpr auto config = Recipe::config;
  const tile::GeneralParams<Recipe> params{
      .a = operand(a),
      .b = operand(b),
      .epilogue = epilogue,
      .schedule = {.grid = {ceil_div(size.m, config.tile_m), ceil_div(size.n, config.tile_n)},
                   .batch = size.batch,
                   .k_blocks = ceil_div(size.k, config.tile_k)}};
  tile::gemm_general<Recipe>
      <<<Recipe::Schedule::clusters(params.schedule, 1), config.threads()>>>(params);
  require(cudaGetLastError(), what);
  require(cudaDeviceSynchronize(), what);
}

// All at an odd element of their memory, with lines of odd length.
struct Strides {
  Major a = Major::k, b = Major::k, c = Major::k, d = Major::k;
  int step = 1;  // of the index that would be contiguous
};

Matrix odd_matrix(Element element, Major major, int step, int batch, int rows, int columns) {
  const bool by_rows = major == Major::k;
  const std::int64_t line = step * (by_rows ? columns : rows) + 3;
  return {element,
          batch,
          rows,
          columns,
          by_rows ? line : step,
          by_rows ? step : line,
          line * (by_rows ? rows : columns) + 5,
          1};
}

template <Element a_element, Element b_element, Element out>
void run(const char* what, Size size, Strides strides) {
  using Tree = tile::StridedLinear<out>;
  using Recipe = tile::GeneralRecipe<a_element, b_element, tile::FragmentEpilogue<Tree, out, false>,
                                     tile::SingleTile>;
  Matrix a = odd_matrix(a_element, strides.a, strides.step, size.batch, size.m, size.k);
  Matrix b = odd_matrix(b_element, strides.b, strides.step, size.batch, size.n, size.k);
  Matrix c = odd_matrix(out, strides.c, strides.step, size.batch, size.m, size.n);
  Matrix d = odd_matrix(out, strides.d, strides.step, size.batch, size.m, size.n);
  a.fill(3, size.batch);
  b.fill(4, size.batch);
  c.fill(5, size.batch);
  for (Matrix* matrix : {&a, &b, &c, &d}) matrix->upload();

  const float alpha = 0.75f, beta = -0.5f;
  typename Recipe::Epilogue::Params epilogue{
      .tree = {alpha, beta, tile::ElementPointer<out>::untyped(c.data()), c.row_stride,
               c.column_stride, c.batch_stride},
      .out = {d.data(), d.row_stride, d.column_stride, d.batch_stride, {size.m, size.n}}};
  launch<Recipe>(what, size, a, b, epilogue);
  d.download();
  check(what, size, a, b, d, alpha, beta, &c);
}

template <Element a, Element b, Element out = Element::f32>
void run_strides(const char* what) {
  using enum Major;
  run<a, b, out>(what, {67, 71, 65, 2}, {});
  run<a, b, out>(what, {30, 65, 33, 1}, {.a = mn, .c = mn, .d = mn});
  run<a, b, out>(what, {65, 9, 70, 1}, {.b = mn, .c = mn});
  run<a, b, out>(what, {1, 40, 3, 3}, {.a = mn, .b = mn, .d = mn, .step = 2});
  run<a, b, out>(what, {1, 1, 1, 1}, {});
}

// The sums of s8 products, untouched. K may be 0.
void run_exact(Size size) {
  using Recipe = tile::GeneralRecipe<Element::s8, Element::s8,
                                     tile::FragmentEpilogue<tile::Accumulator, Element::s32>,
                                     tile::SingleTile>;
  Matrix a = odd_matrix(Element::s8, Major::k, 1, size.batch, size.m, size.k);
  Matrix b = odd_matrix(Element::s8, Major::k, 1, size.batch, size.n, size.k);
  Matrix d = odd_matrix(Element::s32, Major::k, 1, size.batch, size.m, size.n);
  a.fill(6, size.batch);
  b.fill(7, size.batch);
  for (Matrix* matrix : {&a, &b, &d}) matrix->upload();
  launch<Recipe>("s8 to s32", size, a, b,
                 {.out = {d.data(), d.row_stride, 1, d.batch_stride, {size.m, size.n}}});
  d.download();
  check("s8 to s32", size, a, b, d);
}

}  // namespace

int main() {
  using enum Element;
  run_strides<bf16, bf16, bf16>("bf16");
  run_strides<f16, f16, f16>("f16");
  run_strides<tf32, tf32>("tf32");
  run_strides<f32, f32>("f32");
  run_strides<e4m3, e4m3>("e4m3");
  run_strides<e5m2, e4m3, bf16>("e5m2 and e4m3");
  run_strides<s8, s8>("s8");
  run_strides<s8, bf16>("s8 and bf16");
  run_strides<f16, e5m2>("f16 and e5m2");
  run_strides<e4m3, bf16>("e4m3 and bf16");
  run_strides<bf16, f16>("bf16 and f16");
  run_exact({70, 66, 130, 2});
  run_exact({70, 66, 0, 1});
  std::puts("ok");
}
