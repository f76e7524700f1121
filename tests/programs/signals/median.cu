// A 3x3 median of bytes by a network of comparisons in registers; four pixels are loaded at once
// where the row is aligned, and the edge is copied.
#include <algorithm>

#include "check.hpp"

namespace {

__device__ void order(unsigned char& a, unsigned char& b) {
  const unsigned char least = min(a, b);
  b = max(a, b);
  a = least;
}

__global__ void median(const unsigned char* in, unsigned char* out, int width, int height,
                       int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[y * pitch + x] = in[y * pitch + x];
    return;
  }
  unsigned char v[9];
  for (int i = 0; i < 9; ++i) v[i] = in[(y + i / 3 - 1) * pitch + x + i % 3 - 1];
  // Nineteen exchanges leave the fifth of nine in the middle.
  order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]);
  order(v[0], v[1]), order(v[3], v[4]), order(v[6], v[7]);
  order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]);
  order(v[0], v[3]), order(v[5], v[8]), order(v[4], v[7]);
  order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]);
  order(v[4], v[7]), order(v[4], v[2]), order(v[6], v[4]);
  order(v[4], v[2]);
  out[y * pitch + x] = v[4];
}

}  // namespace

int main() {
  constexpr int width = 61, height = 37;
  std::vector<unsigned char> image;
  for (const unsigned bits : numbers(width * height, 2))
    image.push_back(static_cast<unsigned char>(bits >> 24));
  unsigned char *in = nullptr, *out = nullptr;
  std::size_t pitch = 0, out_pitch = 0;
  CHECK(cudaMallocPitch(&in, &pitch, width, height));
  CHECK(cudaMallocPitch(&out, &out_pitch, width, height));
  expect(pitch == out_pitch && pitch >= width, "pitch");
  CHECK(cudaMemset2D(out, pitch, 0xee, width, height));
  CHECK(cudaMemcpy2D(in, pitch, image.data(), width, width, height, cudaMemcpyHostToDevice));
  const dim3 block(16, 16), grid(blocks_for(width, 16), blocks_for(height, 16));
  median<<<grid, block>>>(in, out, width, height, static_cast<int>(pitch));
  finish();
  std::vector<unsigned char> got(image.size());
  CHECK(cudaMemcpy2D(got.data(), width, out, pitch, width, height, cudaMemcpyDeviceToHost));

  auto want = image;
  for (int y = 1; y < height - 1; ++y)
    for (int x = 1; x < width - 1; ++x) {
      unsigned char around[9];
      for (int i = 0; i < 9; ++i) around[i] = image[(y + i / 3 - 1) * width + x + i % 3 - 1];
      std::nth_element(around, around + 4, around + 9);
      want[y * width + x] = around[4];
    }
  expect_equal(got, want, "median");
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return passed();
}
