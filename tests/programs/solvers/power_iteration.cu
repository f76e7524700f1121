// The largest eigenvalue by power iteration: a product with float4 loads, norms by atomics that the
// next kernel reads, a launch bound, and double buffers.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int size = 64, rounds = 60;

__global__ void __launch_bounds__(128, 4)
    multiply(const float4* a, const float4* x, float* y, const float* norm, float* next_norm) {
  const int lane = threadIdx.x % 16, row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  const float4 left = a[row * (size / 4) + lane], right = x[lane];
  float sum = left.x * right.x + left.y * right.y + left.z * right.z + left.w * right.w;
  for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step, 16);
  sum *= rsqrtf(*norm);
  if (lane == 0) {
    y[row] = sum;
    atomicAdd(next_norm, sum * sum);
  }
}

}  // namespace

int main() {
  const auto raw = reals(size * size, 16, 0, 1);
  std::vector<float> matrix(size * size), start = reals(size, 17, 0.5, 1), norms(rounds + 1, 0.0f);
  for (int i = 0; i < size * size; ++i) matrix[i] = raw[i] + raw[i % size * size + i / size];
  for (const float value : start) norms[0] += value * value;
  const OnDevice<float> a(matrix), x(start), y(size), norm(norms);
  float *from = x.get(), *to = y.get();
  for (int round = 0; round < rounds; ++round, std::swap(from, to))
    multiply<<<size / 8, 128>>>(reinterpret_cast<const float4*>(a.get()),
                                reinterpret_cast<const float4*>(from), to, norm.get() + round,
                                norm.get() + round + 1);
  finish();
  std::vector<double> v(size, 1), w(size);
  double value = 0;
  for (int round = 0; round < 300; ++round) {
    value = 0;
    for (int i = 0; i < size; ++i) {
      w[i] = 0;
      for (int j = 0; j < size; ++j) w[i] += matrix[i * size + j] * v[j];
      value += w[i] * w[i];
    }
    value = std::sqrt(value);
    for (int i = 0; i < size; ++i) v[i] = w[i] / value;
  }
  expect(std::abs(std::sqrt(double(norm.fetch()[rounds])) - value) < value * 1e-5, "eigenvalue");
  std::vector<float> got(size);
  CHECK(cudaMemcpy(got.data(), from, size * sizeof(float), cudaMemcpyDeviceToHost));
  for (double& element : v) element *= value;
  expect_close(got, v, value * 1e-5, "eigenvector");
  return passed();
}
