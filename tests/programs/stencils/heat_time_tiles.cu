// Heat in two dimensions, several time steps per launch: each block loads a tile with a halo as
// wide as the steps, and computes a region that shrinks by one each step.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int steps = 4, inner = 16, outer = inner + 2 * steps;

__global__ void advance(const float* in, float* out, int width, int height) {
  __shared__ float tile[2][outer][outer];
  const int left = static_cast<int>(blockIdx.x) * inner - steps,
            top = static_cast<int>(blockIdx.y) * inner - steps;
  for (int i = threadIdx.x; i < outer * outer; i += blockDim.x) {
    const int x = left + i % outer, y = top + i / outer;
    const bool inside = x >= 0 && y >= 0 && x < width && y < height;
    tile[0][i / outer][i % outer] = inside ? in[y * width + x] : 0;
  }
  __syncthreads();
  for (int step = 1; step <= steps; ++step) {
    const auto& from = tile[(step - 1) % 2];
    auto& to = tile[step % 2];
    const int edge = outer - 2 * step;
    for (int i = threadIdx.x; i < edge * edge; i += blockDim.x) {
      const int u = step + i % edge, v = step + i / edge, x = left + u, y = top + v;
      const bool edge_of_plate = x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1;
      const float here = from[v][u];
      to[v][u] = edge_of_plate ? here
                               : here + 0.2f * (from[v][u - 1] + from[v][u + 1] + from[v - 1][u] +
                                                from[v + 1][u] - 4 * here);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < inner * inner; i += blockDim.x) {
    const int u = steps + i % inner, v = steps + i / inner, x = left + u, y = top + v;
    if (x < width && y < height) out[y * width + x] = tile[steps % 2][v][u];
  }
}

}  // namespace

int main() {
  constexpr int width = 70, height = 53, launches = 3;
  const auto start = reals(width * height, 1, 0, 100);
  const OnDevice<float> a(start), b(start.size());
  float *from = a.get(), *to = b.get();
  for (int i = 0; i < launches; ++i, std::swap(from, to))
    advance<<<dim3(blocks_for(width, inner), blocks_for(height, inner)), 128>>>(from, to, width,
                                                                                height);
  finish();
  std::vector<double> want(start.begin(), start.end());
  for (int step = 0; step < launches * steps; ++step) {
    const auto last = want;
    for (int y = 1; y < height - 1; ++y)
      for (int x = 1; x < width - 1; ++x) {
        const int i = y * width + x;
        want[i] +=
            0.2f * (last[i - 1] + last[i + 1] + last[i - width] + last[i + width] - 4 * last[i]);
      }
  }
  expect_close(b.fetch(), want, 1e-3 * 0.2, "temperatures");
  return passed();
}
