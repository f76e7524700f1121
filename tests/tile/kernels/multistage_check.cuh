// One product by the cp.async kernel against float64, for any atom, configuration and schedule.
#pragma once

#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/kernel/gemm_sm80.cuh"
#include "tile/schedule/single.hpp"

namespace aisp::gemm_test {

using tile::MmaSync;
using tile::Simt;
using tile::Sm80Config;

inline tile::OperandMatrix operand(const Matrix& matrix, Major major) {
  return {.data = matrix.data(),
          .line_stride = major == Major::k ? matrix.row_stride : matrix.column_stride,
          .batch_stride = matrix.batch_stride,
          .rows = matrix.rows,
          .k = matrix.columns};
}

template <class Atom, Sm80Config config, Element out, class Schedule = tile::SingleTile>
void run(const char* what, Size size) {
  constexpr Element element = Atom::element;
  using Epilogue = tile::FragmentEpilogue<tile::Accumulator, out>;
  using Recipe = tile::Sm80Recipe<Atom, config, Epilogue, Schedule>;
  const auto line = [&](Major major, int rows) {
    return padded_line(major == Major::k ? size.k : rows, element);
  };
  Matrix a = Matrix::of_lines(element, config.a_major, size.batch, size.m, size.k,
                              line(config.a_major, size.m));
  Matrix b = Matrix::of_lines(element, config.b_major, size.batch, size.n, size.k,
                              line(config.b_major, size.n));
  Matrix d = Matrix::of_lines(out, Major::k, size.batch, size.m, size.n, size.n + 3);
  a.fill(1, size.batch);
  b.fill(2, size.batch);
  for (Matrix* matrix : {&a, &b, &d}) matrix->upload();

  const tile::TileSpace space{
      .grid = {ceil_div(size.m, config.tile_m), ceil_div(size.n, config.tile_n)},
      .batch = size.batch,
      .k_blocks = ceil_div(size.k, config.tile_k)};
  tile::Sm80Params<Recipe> params{.a = operand(a, config.a_major),
                                  .b = operand(b, config.b_major),
                                  .epilogue = {},
                                  .schedule = {space}};
  params.epilogue.out = {d.data(), d.row_stride, 1, d.batch_stride, {size.m, size.n}};
  const auto kernel = tile::gemm_sm80<Recipe>;
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               Recipe::shared_bytes),
          what);
  const int blocks = Schedule::clusters(params.schedule, 2);
  kernel<<<blocks, config.threads(), Recipe::shared_bytes>>>(params);
  require(cudaGetLastError(), what);
  require(cudaDeviceSynchronize(), what);
  d.download();
  check(what, size, a, b, d);
}

// A tile whose lines along k have 64 bytes.
constexpr Sm80Config small(Element element, Major a_major, Major b_major) {
  return {.tile_m = 64,
          .tile_n = 64,
          .tile_k = 64 / bytes_of(element),
          .stages = 3,
          .warps_m = 2,
          .warps_n = 2,
          .a_major = a_major,
          .b_major = b_major};
}

template <class Atom>
void run_majors(const char* what) {
  constexpr Element element = Atom::element;
  constexpr Element out = accumulator_of(element);
  constexpr int per = 4 / bytes_of(element);
  using enum Major;
  run<Atom, small(element, k, k), out>(what, {70, 77, 29 * per + 1, 2});
  run<Atom, small(element, mn, k), out>(what, {33, 66, 17 * per, 1});
  run<Atom, small(element, k, mn), out>(what, {65, 31, 40 * per - 1, 1});
  run<Atom, small(element, mn, mn), out>(what, {64, 70, 5, 1});
}

}  // namespace aisp::gemm_test
