// A Gaussian blur as two passes, over rows and over columns: tiles with their halo in shared
// memory, weights in constant memory, pixels outside of the image repeated from its edge.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int radius = 4, tile_x = 32, tile_y = 8;
__constant__ float weights[2 * radius + 1];

__global__ void blur_rows(const float* in, float* out, int width, int height) {
  __shared__ float tile[tile_y][tile_x + 2 * radius];
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  const int row = min(y, height - 1);
  for (int i = threadIdx.x; i < tile_x + 2 * radius; i += tile_x) {
    const int column = static_cast<int>(blockIdx.x) * tile_x + i - radius;
    tile[threadIdx.y][i] = in[row * width + min(max(column, 0), width - 1)];
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int tap = 0; tap <= 2 * radius; ++tap)
    sum += weights[tap] * tile[threadIdx.y][threadIdx.x + tap];
  out[y * width + x] = sum;
}

__global__ void blur_columns(const float* in, float* out, int width, int height) {
  __shared__ float tile[tile_y + 2 * radius][tile_x];
  const int x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
  const int column = min(x, width - 1);
  for (int i = threadIdx.y; i < tile_y + 2 * radius; i += tile_y) {
    const int row = static_cast<int>(blockIdx.y) * tile_y + i - radius;
    tile[i][threadIdx.x] = in[min(max(row, 0), height - 1) * width + column];
  }
  __syncthreads();
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int tap = 0; tap <= 2 * radius; ++tap)
    sum += weights[tap] * tile[threadIdx.y + tap][threadIdx.x];
  out[y * width + x] = sum;
}

}  // namespace

int main() {
  constexpr int width = 75, height = 43;
  const auto image = reals(width * height, 1, 0, 255);
  std::vector<float> taps;
  float total = 0;
  for (int tap = -radius; tap <= radius; ++tap) {
    taps.push_back(std::exp(-0.15f * static_cast<float>(tap * tap)));
    total += taps.back();
  }
  for (float& tap : taps) tap /= total;
  CHECK(cudaMemcpyToSymbol(weights, taps.data(), taps.size() * sizeof(float)));

  const OnDevice<float> in(image), between(image.size()), out(image.size());
  const dim3 grid(blocks_for(width, tile_x), blocks_for(height, tile_y)), block(tile_x, tile_y);
  blur_rows<<<grid, block>>>(in.get(), between.get(), width, height);
  blur_columns<<<grid, block>>>(between.get(), out.get(), width, height);
  finish();

  std::vector<double> want(image.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int v = -radius; v <= radius; ++v)
        for (int u = -radius; u <= radius; ++u)
          want[y * width + x] +=
              double(taps[u + radius]) * taps[v + radius] *
              image[std::clamp(y + v, 0, height - 1) * width + std::clamp(x + u, 0, width - 1)];
  expect_close(out.fetch(), want, 255 * 20 * 0x1p-24, "blur");
  return passed();
}
