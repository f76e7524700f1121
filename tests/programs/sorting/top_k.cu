// The k largest of each row: a radix select finds the threshold digit by digit in one block, a
// second pass gathers what is above it, and ties are filled up; a warp sorts the few by shuffles.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int k = 32, threads = 128;

// Floats in the order of unsigned integers.
__host__ __device__ unsigned ordered(unsigned bits) {
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ float restored(unsigned key) {
  return __uint_as_float(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

__device__ unsigned threshold(const float* row, int count, int& ties) {
  __shared__ int counts[256];
  __shared__ unsigned chosen;
  __shared__ int missing;
  unsigned prefix = 0;
  int left = k;
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (int i = threadIdx.x; i < 256; i += threads) counts[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += threads) {
      const unsigned key = ordered(__float_as_uint(row[i]));
      if (shift == 24 || key >> (shift + 8) == prefix >> (shift + 8))
        atomicAdd(&counts[key >> shift & 255], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int digit = 255, rest = left;
      while (counts[digit] < rest) rest -= counts[digit--];
      chosen = prefix | static_cast<unsigned>(digit) << shift;
      missing = rest;
    }
    __syncthreads();
    prefix = chosen;
    left = missing;
  }
  ties = left;
  return prefix;
}

__global__ void largest(const float* in, int count, float* out) {
  __shared__ unsigned found[k];
  __shared__ int above, equal;
  const float* row = in + static_cast<long long>(blockIdx.x) * count;
  if (threadIdx.x == 0) above = equal = 0;
  int ties;
  const unsigned least = threshold(row, count, ties);
  for (int i = threadIdx.x; i < count; i += threads) {
    const unsigned key = ordered(__float_as_uint(row[i]));
    if (key > least) {
      found[atomicAdd(&above, 1)] = key;
    } else if (key == least) {
      const int place = atomicAdd(&equal, 1);
      if (place < ties) found[k - 1 - place] = key;
    }
  }
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const int lane = threadIdx.x;
  unsigned key = found[lane];
  for (int run = 2; run <= 32; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) {
      const unsigned other = __shfl_xor_sync(~0u, key, distance);
      const bool larger_first = (lane & run) == 0, is_first = (lane & distance) == 0;
      key = larger_first == is_first ? max(key, other) : min(key, other);
    }
  out[blockIdx.x * k + lane] = restored(key);
}

}  // namespace

int main() {
  constexpr int rows = 4, count = 1000;
  auto values = reals(rows * count, 5, -50, 50);
  for (int i = 0; i < count; ++i)
    values[count + i] = std::floor(values[count + i] / 10);     // many ties
  for (int i = 0; i < count; ++i) values[2 * count + i] -= 60;  // all below zero
  const OnDevice<float> in(values), out(rows * k);
  largest<<<rows, threads>>>(in.get(), count, out.get());
  finish();
  std::vector<float> want;
  for (int row = 0; row < rows; ++row) {
    auto first = values.begin() + row * count;
    std::sort(first, first + count, std::greater<>());
    want.insert(want.end(), first, first + k);
  }
  expect_equal(out.fetch(), want, "the largest, sorted");
  return passed();
}
