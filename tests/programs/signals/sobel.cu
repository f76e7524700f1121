// Edges: Sobel gradients of a packed grey picture, magnitudes in f16 pairs, a threshold that comes
// from the largest magnitude (found by atomicMax on the bits of a float), and a mask in bits.
#include <cuda_fp16.h>

#include <algorithm>

#include "check.hpp"

namespace {

__global__ void gradients(const unsigned char* in, __half2* out, unsigned* largest, int width,
                          int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float size = 0;
  if (x < width && y < height) {
    const auto at = [&](int dx, int dy) {
      return static_cast<int>(
          in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)]);
    };
    const int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    const int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    out[y * width + x] = __floats2half2_rn(static_cast<float>(gx), static_cast<float>(gy));
    size = static_cast<float>(gx * gx + gy * gy);
  }
  // All warps are whole: the largest of a warp, then one atomic. Floats above zero order as bits.
  for (int step = 16; step > 0; step /= 2) size = fmaxf(size, __shfl_xor_sync(~0u, size, step));
  if ((threadIdx.y * blockDim.x + threadIdx.x) % 32 == 0) atomicMax(largest, __float_as_uint(size));
}

__global__ void edges(const __half2* in, const unsigned* largest, unsigned* mask, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 gradient = make_float2(0, 0);
  if (i < count) gradient = __half22float2(in[i]);
  const bool edge =
      4 * (gradient.x * gradient.x + gradient.y * gradient.y) > __uint_as_float(*largest);
  const unsigned word = __ballot_sync(~0u, edge);
  if (threadIdx.x % 32 == 0 && i < count) mask[i / 32] = word;
}

}  // namespace

int main() {
  constexpr int width = 70, height = 45, count = width * height;
  std::vector<unsigned char> image;
  for (const unsigned bits : numbers(count, 6))
    image.push_back(static_cast<unsigned char>(bits >> 24));
  const OnDevice<unsigned char> in(image);
  const OnDevice<__half2> gradient(count);
  const OnDevice<unsigned> largest(std::vector<unsigned>(1, 0)), mask(blocks_for(count, 32));
  gradients<<<dim3(blocks_for(width, 16), blocks_for(height, 8)), dim3(16, 8)>>>(
      in.get(), gradient.get(), largest.get(), width, height);
  edges<<<blocks_for(count, 128), 128>>>(gradient.get(), largest.get(), mask.get(), count);
  finish();

  const auto at = [&](int x, int y) {
    return static_cast<int>(
        image[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)]);
  };
  std::vector<int> sizes;
  const auto got = gradient.fetch();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int gx = 0, gy = 0;
      for (int d = -1; d <= 1; ++d) {
        const int weight = d == 0 ? 2 : 1;
        gx += weight * (at(x + 1, y + d) - at(x - 1, y + d));
        gy += weight * (at(x + d, y + 1) - at(x + d, y - 1));
      }
      const __half2 value = got[y * width + x];  // below 2048: exact
      expect(__low2float(value) == gx && __high2float(value) == gy, "gradients");
      sizes.push_back(gx * gx + gy * gy);
    }
  const int most = *std::max_element(sizes.begin(), sizes.end());
  std::vector<unsigned> want(mask.size());
  for (int i = 0; i < count; ++i) want[i / 32] |= unsigned(4 * sizes[i] > most) << i % 32;
  expect_equal(mask.fetch(), want, "mask of edges");
  return passed();
}
