// Gauss-Seidel in two colours with over-relaxation: each colour reads only the other one.
#include "check.hpp"

namespace {

constexpr int width = 50, height = 34, rounds = 30;

__host__ __device__ float relaxed(const float* u, const float* f, int at, float omega) {
  const float sum = u[at - 1] + u[at + 1] + u[at - width] + u[at + width] + f[at];
  return u[at] + omega * (0.25f * sum - u[at]);
}

__global__ void relax(float* u, const float* f, int colour, float omega) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + (y + colour) % 2;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  u[y * width + x] = relaxed(u, f, y * width + x, omega);
}

}  // namespace

int main() {
  const auto start = reals(width * height, 6), f = reals(width * height, 7);
  const OnDevice<float> u(start), right(f);
  for (int round = 0; round < 2 * rounds; ++round)
    relax<<<dim3(blocks_for(width, 32), blocks_for(height, 8)), dim3(16, 8)>>>(u.get(), right.get(),
                                                                               round % 2, 1.5f);
  finish();
  std::vector<double> want(start.begin(), start.end());
  for (int round = 0; round < 2 * rounds; ++round)
    for (int y = 1; y < height - 1; ++y)
      for (int x = 1; x < width - 1; ++x)
        if ((x + y) % 2 == round % 2) {
          double& at = want[y * width + x];
          const double sum = want[y * width + x - 1] + want[y * width + x + 1] +
                             want[(y - 1) * width + x] + want[(y + 1) * width + x] +
                             f[y * width + x];
          at += 1.5 * (0.25 * sum - at);
        }
  expect_close(u.fetch(), want, 1e-4, "after all rounds");
  return passed();
}
