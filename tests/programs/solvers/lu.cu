// LU with partial pivoting: three kernels a column, the pivot's row found by a warp and read by the
// next kernels from device memory; then a solve by one block.
#include <utility>

#include "check.hpp"

namespace {

constexpr int size = 48;

__global__ void find_pivot(const float* a, int column, int* pivots) {
  const int lane = threadIdx.x;
  float most = -1;
  int where = column;
  for (int row = column + lane; row < size; row += 32)
    if (fabsf(a[row * size + column]) > most) most = fabsf(a[row * size + column]), where = row;
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_down_sync(~0u, most, step);
    const int other_row = __shfl_down_sync(~0u, where, step);
    if (other > most || (other == most && other_row < where)) most = other, where = other_row;
  }
  if (lane == 0) pivots[column] = where;
}
__global__ void swap_rows(float* a, int column, const int* pivots) {
  const int i = threadIdx.x, other = pivots[column];
  if (other == column) return;
  const float held = a[column * size + i];
  a[column * size + i] = a[other * size + i];
  a[other * size + i] = held;
}
__global__ void eliminate(float* a, int column) {
  const int row = column + 1 + blockIdx.x, i = column + threadIdx.x;
  const float factor = a[row * size + column] / a[column * size + column];
  __syncthreads();  // all have read the first element before it becomes the factor
  if (i < size) {
    if (i == column)
      a[row * size + i] = factor;
    else
      a[row * size + i] -= factor * a[column * size + i];
  }
}

__global__ void solve(const float* lu, const int* pivots, float* b) {
  __shared__ float x[size];
  const int row = threadIdx.x;
  x[row] = b[row];
  __syncthreads();
  if (row == 0)
    for (int i = 0; i < size; ++i) {
      const float held = x[i];
      x[i] = x[pivots[i]];
      x[pivots[i]] = held;
    }
  for (int column = 0; column < size; ++column) {
    __syncthreads();
    if (row > column) x[row] -= lu[row * size + column] * x[column];
  }
  for (int column = size - 1; column >= 0; --column) {
    __syncthreads();
    if (row == column) x[row] /= lu[row * size + row];
    __syncthreads();
    if (row < column) x[row] -= lu[row * size + column] * x[column];
  }
  b[row] = x[row];
}

}  // namespace

int main() {
  const auto matrix = reals(size * size, 8), right = reals(size, 9);
  const OnDevice<float> a(matrix), b(right);
  const OnDevice<int> pivots(size);
  for (int column = 0; column < size; ++column) {
    find_pivot<<<1, 32>>>(a.get(), column, pivots.get());
    swap_rows<<<1, size>>>(a.get(), column, pivots.get());
    if (column + 1 < size) eliminate<<<size - column - 1, size>>>(a.get(), column);
  }
  solve<<<1, size>>>(a.get(), pivots.get(), b.get());
  finish();

  const auto lu = a.fetch();
  const auto order = pivots.fetch();
  auto turned = matrix;
  for (int i = 0; i < size; ++i)
    for (int column = 0; column < size; ++column)
      std::swap(turned[i * size + column], turned[order[i] * size + column]);
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column) {
      double sum = 0;
      for (int i = 0; i <= std::min(row, column); ++i)
        sum += (i == row ? 1.0 : lu[row * size + i]) * lu[i * size + column];
      expect(std::abs(sum - turned[row * size + column]) < 1e-4, "L times U");
    }
  const auto x = b.fetch();
  for (int row = 0; row < size; ++row) {
    double sum = -right[row];
    for (int column = 0; column < size; ++column)
      sum += double(matrix[row * size + column]) * x[column];
    expect(std::abs(sum) < 1e-3, "residual");
  }
  return passed();
}
