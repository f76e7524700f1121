// An integral image: warps scan rows by shuffles, a tile in shared memory turns the picture, and
// the same scan does the columns. Then box filters of any size with four loads.
#include <algorithm>

#include "check.hpp"

namespace {

// One warp per row, 32 elements at a time.
__global__ void scan_rows(const unsigned* in, unsigned* out, int width, int height) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= height) return;
  unsigned before = 0;
  for (int start = 0; start < width; start += 32) {
    const int x = start + lane;
    unsigned sum = x < width ? in[row * width + x] : 0;
    for (int step = 1; step < 32; step *= 2) {
      const unsigned left = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += left;
    }
    sum += before;
    if (x < width) out[row * width + x] = sum;
    before = __shfl_sync(~0u, sum, 31);
  }
}

__global__ void turn(const unsigned* in, unsigned* out, int width, int height) {
  __shared__ unsigned tile[32][33];
  for (int i = threadIdx.y; i < 32; i += 8) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + i;
    if (x < width && y < height) tile[i][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) {
    const int x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + i;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][i];
  }
}

__device__ unsigned corner(const unsigned* sums, int width, int x, int y) {
  return x < 0 || y < 0 ? 0 : sums[y * width + x];
}
__global__ void box(const unsigned* sums, float* out, int width, int height, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  const int left = max(x - radius, 0) - 1, right = min(x + radius, width - 1);
  const int top = max(y - radius, 0) - 1, bottom = min(y + radius, height - 1);
  const unsigned sum = corner(sums, width, right, bottom) - corner(sums, width, left, bottom) -
                       corner(sums, width, right, top) + corner(sums, width, left, top);
  out[y * width + x] =
      static_cast<float>(sum) / static_cast<float>((right - left) * (bottom - top));
}

}  // namespace

int main() {
  constexpr int width = 83, height = 50, radius = 7;
  auto image = numbers(width * height, 4);
  for (auto& value : image) value >>= 24;
  const OnDevice<unsigned> in(image), rows(image.size()), turned(image.size()), both(image.size()),
      sums(image.size());
  const OnDevice<float> out(image.size());
  scan_rows<<<blocks_for(height, 4), 128>>>(in.get(), rows.get(), width, height);
  turn<<<dim3(blocks_for(width, 32), blocks_for(height, 32)), dim3(32, 8)>>>(
      rows.get(), turned.get(), width, height);
  scan_rows<<<blocks_for(width, 4), 128>>>(turned.get(), both.get(), height, width);
  turn<<<dim3(blocks_for(height, 32), blocks_for(width, 32)), dim3(32, 8)>>>(both.get(), sums.get(),
                                                                             height, width);
  box<<<dim3(blocks_for(width, 64), height), 64>>>(sums.get(), out.get(), width, height, radius);
  finish();

  std::vector<unsigned> want(image.size());
  std::vector<double> means(image.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      for (int v = 0; v <= y; ++v)
        for (int u = 0; u <= x; ++u) want[y * width + x] += image[v * width + u];
      double sum = 0;
      int seen = 0;
      for (int v = std::max(y - radius, 0); v <= std::min(y + radius, height - 1); ++v)
        for (int u = std::max(x - radius, 0); u <= std::min(x + radius, width - 1); ++u, ++seen)
          sum += image[v * width + u];
      means[y * width + x] = sum / seen;
    }
  expect_equal(sums.fetch(), want, "integral image");
  expect_close(out.fetch(), means, 256 * 0x1p-22, "box filter");
  return passed();
}
