// Histograms of a picture's three channels: counters in shared memory per block, then one atomic
// per counter and block; the picture is equalised with what was counted.
#include "check.hpp"

namespace {

constexpr int bins = 256, threads = 128;

__global__ void count_levels(const uchar4* pixels, int count, unsigned* counts) {
  __shared__ unsigned mine[3][bins];
  for (int i = threadIdx.x; i < 3 * bins; i += threads) (&mine[0][0])[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads) {
    const uchar4 pixel = pixels[i];
    atomicAdd(&mine[0][pixel.x], 1u);
    atomicAdd(&mine[1][pixel.y], 1u);
    atomicAdd(&mine[2][pixel.z], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 3 * bins; i += threads)
    if (const unsigned seen = (&mine[0][0])[i]) atomicAdd(&counts[i], seen);
}

// One block per channel, one thread per level: an inclusive scan in shared memory.
__global__ void equalise(const unsigned* counts, unsigned char* levels, int count) {
  __shared__ unsigned sums[2][bins];
  const int level = threadIdx.x;
  int from = 0;
  sums[0][level] = counts[blockIdx.x * bins + level];
  __syncthreads();
  for (int step = 1; step < bins; step *= 2, from ^= 1) {
    sums[from ^ 1][level] = sums[from][level] + (level >= step ? sums[from][level - step] : 0);
    __syncthreads();
  }
  levels[blockIdx.x * bins + level] =
      static_cast<unsigned char>(255ull * sums[from][level] / static_cast<unsigned>(count));
}

}  // namespace

int main() {
  constexpr int count = 20'011;
  std::vector<uchar4> pixels;
  for (const unsigned bits : numbers(count, 3)) {
    const unsigned dark = bits >> 24;
    pixels.push_back(make_uchar4(dark * dark >> 8, dark, bits >> 16 & 0x7f, 0xff));
  }
  const OnDevice<uchar4> in(pixels);
  const OnDevice<unsigned> counts(std::vector<unsigned>(3 * bins, 0));
  const OnDevice<unsigned char> levels(3 * bins);
  count_levels<<<13, threads>>>(in.get(), count, counts.get());
  equalise<<<3, bins>>>(counts.get(), levels.get(), count);
  finish();

  std::vector<unsigned> want(3 * bins);
  for (const uchar4& pixel : pixels)
    ++want[pixel.x], ++want[bins + pixel.y], ++want[2 * bins + pixel.z];
  expect_equal(counts.fetch(), want, "counts");
  std::vector<unsigned char> curve;
  for (int channel = 0; channel < 3; ++channel) {
    unsigned long long sum = 0;
    for (int level = 0; level < bins; ++level) {
      sum += want[channel * bins + level];
      curve.push_back(static_cast<unsigned char>(255 * sum / count));
    }
  }
  expect_equal(levels.fetch(), curve, "equalised levels");
  return passed();
}
