// A sparse matrix times a vector in four formats: compressed rows with a thread and with a warp per
// row, ELLPACK by columns, and coordinates with atomics.
#include <algorithm>

#include "check.hpp"

namespace {

__global__ void rows_by_threads(int rows, const int* first, const int* columns,
                                const double* values, const double* x, double* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = first[row]; i < first[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
__global__ void rows_by_warps(int rows, const int* first, const int* columns, const double* values,
                              const double* x, double* y) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  double sum = 0;
  for (int i = first[row] + lane; i < first[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}
__global__ void padded(int rows, int width, const int* columns, const double* values,
                       const double* x, double* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = 0; i < width; ++i) {
    const int column = columns[i * rows + row];
    if (column >= 0) sum += values[i * rows + row] * x[column];
  }
  y[row] = sum;
}
__global__ void coordinates(int count, const int* rows, const int* columns, const double* values,
                            const double* x, double* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&y[rows[i]], values[i] * x[columns[i]]);
}

}  // namespace

int main() {
  constexpr int rows = 300, columns = 257;
  const auto raw = numbers(rows * 64, 1);
  std::vector<int> first{0}, column_of, row_of;
  std::vector<double> values;
  for (int row = 0; row < rows; ++row) {
    const int length = row == 7 ? 60 : row % 11 == 0 ? 0 : static_cast<int>(raw[row * 64] >> 28);
    for (int i = 0; i < length; ++i) {
      const unsigned bits = raw[row * 64 + i];
      column_of.push_back(static_cast<int>((bits >> 8) % columns));
      row_of.push_back(row);
      values.push_back(static_cast<int>(bits) * 0x1p-31);
    }
    first.push_back(static_cast<int>(values.size()));
  }
  int width = 0;
  for (int row = 0; row < rows; ++row) width = std::max(width, first[row + 1] - first[row]);
  std::vector<int> ell_columns(rows * width, -1);
  std::vector<double> ell_values(rows * width, NAN), x, want(rows);
  for (const float value : reals(columns, 2)) x.push_back(value);
  for (int row = 0; row < rows; ++row)
    for (int i = first[row]; i < first[row + 1]; ++i) {
      ell_columns[(i - first[row]) * rows + row] = column_of[i];
      ell_values[(i - first[row]) * rows + row] = values[i];
      want[row] += values[i] * x[column_of[i]];
    }
  const OnDevice<int> f(first), c(column_of), r(row_of), ec(ell_columns);
  const OnDevice<double> v(values), ev(ell_values), dx(x);
  const auto product = [&](const char* what, const auto& launch) {
    const OnDevice<double> y(rows);
    launch(y.get());
    finish();
    expect_close(y.fetch(), want, 60 * 60 * 0x1p-53, what);
  };
  product("a thread per row", [&](double* y) {
    rows_by_threads<<<blocks_for(rows, 64), 64>>>(rows, f.get(), c.get(), v.get(), dx.get(), y);
  });
  product("a warp per row", [&](double* y) {
    rows_by_warps<<<blocks_for(rows, 4), 128>>>(rows, f.get(), c.get(), v.get(), dx.get(), y);
  });
  product("padded rows", [&](double* y) {
    padded<<<blocks_for(rows, 64), 64>>>(rows, width, ec.get(), ev.get(), dx.get(), y);
  });
  product("coordinates", [&](double* y) {
    CHECK(cudaMemset(y, 0, rows * sizeof(double)));
    coordinates<<<5, 64>>>(static_cast<int>(values.size()), r.get(), c.get(), v.get(), dx.get(), y);
  });
  return passed();
}
