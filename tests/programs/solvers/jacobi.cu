// Jacobi iterations with a graph of two steps launched again and again, and a residual that a
// managed double brings to the host.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int size = 96, threads = 32;

// One block per row; the row's off-diagonal sum by shared memory.
__global__ void step(const float* a, const float* b, const float* x, float* next) {
  __shared__ float parts[threads];
  const int row = blockIdx.x;
  float sum = 0;
  for (int column = threadIdx.x; column < size; column += threads)
    if (column != row) sum += a[row * size + column] * x[column];
  parts[threadIdx.x] = sum;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) next[row] = (b[row] - parts[0]) / a[row * size + row];
}

__global__ void difference(const float* x, const float* next, double* largest) {
  __shared__ double parts[threads];
  double most = 0;
  for (int i = threadIdx.x; i < size; i += threads) most = fmax(most, fabs(double(x[i]) - next[i]));
  parts[threadIdx.x] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const double part : parts) most = fmax(most, part);
  *largest = most;
}

}  // namespace

int main() {
  auto a = reals(size * size, 4);
  const auto b = reals(size, 5, -10, 10);
  for (int i = 0; i < size; ++i) a[i * size + i] = 80;
  const OnDevice<float> matrix(a), right(b), x(std::vector<float>(size, 0)), next(size);
  double* largest = nullptr;
  CHECK(cudaMallocManaged(&largest, sizeof(double)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t twice;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  step<<<size, threads, 0, stream>>>(matrix.get(), right.get(), x.get(), next.get());
  step<<<size, threads, 0, stream>>>(matrix.get(), right.get(), next.get(), x.get());
  difference<<<1, threads, 0, stream>>>(x.get(), next.get(), largest);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&twice, graph, 0));
  int launches = 0;
  do {
    CHECK(cudaGraphLaunch(twice, stream));
    CHECK(cudaStreamSynchronize(stream));
  } while (*largest > 1e-7 && ++launches < 100);
  expect(launches > 1 && launches < 100, "it converges");

  std::vector<double> want(size);
  for (int turn = 0; turn < 200; ++turn) {
    auto last = want;
    for (int row = 0; row < size; ++row) {
      double sum = b[row];
      for (int column = 0; column < size; ++column)
        if (column != row) sum -= double(a[row * size + column]) * last[column];
      want[row] = sum / a[row * size + row];
    }
  }
  expect_close(x.fetch(), want, 1e-5, "solution");
  CHECK(cudaGraphExecDestroy(twice));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(largest));
  return passed();
}
