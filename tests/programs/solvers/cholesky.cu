// A blocked Cholesky factorisation in float64: tiles of 16 factorised in shared memory, panels
// solved, and the rest updated; streams and events let the panels of a column run side by side.
#include "check.hpp"

namespace {

constexpr int tile = 16, tiles = 4, size = tile * tiles;

__device__ double& at(double* a, int tile_row, int tile_column, int row, int column) {
  return a[(tile_row * tile + row) * size + tile_column * tile + column];
}

__global__ void factorise(double* a, int k) {
  __shared__ double t[tile][tile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  t[y][x] = at(a, k, k, y, x);
  for (int i = 0; i < tile; ++i) {
    __syncthreads();
    if (x == i && y == i) t[i][i] = sqrt(t[i][i]);
    __syncthreads();
    if (x == i && y > i) t[y][i] /= t[i][i];
    __syncthreads();
    if (x > i && y >= x) t[y][x] -= t[y][i] * t[x][i];
  }
  at(a, k, k, y, x) = y >= x ? t[y][x] : 0.0;
}

// X with X * L^T = A, one thread a row.
__global__ void solve_panel(double* a, int k, int row) {
  const int y = threadIdx.x;
  double x[tile];
  for (int i = 0; i < tile; ++i) {
    double sum = at(a, row, k, y, i);
    for (int j = 0; j < i; ++j) sum -= x[j] * at(a, k, k, i, j);
    x[i] = sum / at(a, k, k, i, i);
  }
  for (int i = 0; i < tile; ++i) at(a, row, k, y, i) = x[i];
}

__global__ void update(double* a, int k) {
  const int row = k + 1 + blockIdx.y, column = k + 1 + blockIdx.x;
  if (column > row) return;
  __shared__ double left[tile][tile], right[tile][tile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  left[y][x] = at(a, row, k, y, x);
  right[y][x] = at(a, column, k, y, x);
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < tile; ++i) sum += left[y][i] * right[x][i];
  at(a, row, column, y, x) -= sum;
}

}  // namespace

int main() {
  const auto raw = reals(size * size, 10);
  std::vector<double> matrix(size * size);
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column) {
      for (int i = 0; i < size; ++i)
        matrix[row * size + column] += double(raw[row * size + i]) * raw[column * size + i];
      if (row == column) matrix[row * size + column] += 1;
    }
  const OnDevice<double> a(matrix);
  cudaStream_t streams[3];
  cudaEvent_t factorised, solved[3];
  CHECK(cudaEventCreateWithFlags(&factorised, cudaEventDisableTiming));
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&solved[i], cudaEventDisableTiming));
  }
  for (int k = 0; k < tiles; ++k) {
    factorise<<<1, dim3(tile, tile), 0, streams[0]>>>(a.get(), k);
    CHECK(cudaEventRecord(factorised, streams[0]));
    for (int row = k + 1; row < tiles; ++row) {
      const int own = (row - k - 1) % 3;
      CHECK(cudaStreamWaitEvent(streams[own], factorised));
      solve_panel<<<1, tile, 0, streams[own]>>>(a.get(), k, row);
      CHECK(cudaEventRecord(solved[own], streams[own]));
    }
    const int left = tiles - k - 1;
    for (int i = 0; i < std::min(left, 3); ++i) CHECK(cudaStreamWaitEvent(streams[0], solved[i]));
    if (left > 0) update<<<dim3(left, left), dim3(tile, tile), 0, streams[0]>>>(a.get(), k);
    CHECK(cudaGetLastError());
  }
  finish();
  const auto factor = a.fetch();
  for (int row = 0; row < size; ++row)
    for (int column = 0; column <= row; ++column) {
      double sum = 0;
      for (int i = 0; i <= column; ++i) sum += factor[row * size + i] * factor[column * size + i];
      expect(std::abs(sum - matrix[row * size + column]) < 1e-11, "L times its transpose");
    }
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaEventDestroy(solved[i]));
    CHECK(cudaStreamDestroy(streams[i]));
  }
  CHECK(cudaEventDestroy(factorised));
  return passed();
}
