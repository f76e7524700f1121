// Radix sort by hand, four bits a pass: counts per block, one scan over digits and blocks, and a
// stable scatter in which __match_any_sync ranks the lanes of a warp that have the same digit.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int threads = 128, warps = threads / 32, digit_bits = 4, digits = 1 << digit_bits;

__device__ unsigned digit_of(unsigned key, int shift) { return key >> shift & (digits - 1); }

__global__ void count_digits(const unsigned* keys, int count, int shift, unsigned* counts) {
  __shared__ unsigned mine[digits];
  if (threadIdx.x < digits) mine[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < count) atomicAdd(&mine[digit_of(keys[i], shift)], 1u);
  __syncthreads();
  if (threadIdx.x < digits) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// Exclusive, in place, by one warp.
__global__ void scan(unsigned* counts, int count) {
  const int lane = threadIdx.x;
  unsigned before = 0;
  for (int start = 0; start < count; start += 32) {
    const unsigned own = start + lane < count ? counts[start + lane] : 0;
    unsigned sum = own;
    for (int step = 1; step < 32; step *= 2) {
      const unsigned left = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += left;
    }
    if (start + lane < count) counts[start + lane] = before + sum - own;
    before += __shfl_sync(~0u, sum, 31);
  }
}

__global__ void scatter(const unsigned* keys, unsigned* out, int count, int shift,
                        const unsigned* firsts) {
  __shared__ unsigned of_warp[warps][digits];
  const int i = blockIdx.x * threads + threadIdx.x, lane = threadIdx.x % 32,
            warp = threadIdx.x / 32;
  for (int d = lane; d < digits; d += 32) of_warp[warp][d] = 0;
  __syncwarp();
  const bool valid = i < count;
  const unsigned key = valid ? keys[i] : 0, digit = digit_of(key, shift);
  const unsigned same = __match_any_sync(~0u, valid ? digit : digits + lane);
  const unsigned rank = __popc(same & ((1u << lane) - 1));
  if (valid && rank == 0) of_warp[warp][digit] = __popc(same);
  __syncthreads();
  if (!valid) return;
  unsigned place = firsts[digit * gridDim.x + blockIdx.x] + rank;
  for (int before = 0; before < warp; ++before) place += of_warp[before][digit];
  out[place] = key;
}

}  // namespace

int main() {
  constexpr int count = 1777;
  constexpr unsigned blocks = blocks_for(count, threads);
  auto keys = numbers(count, 2);
  for (int i = 0; i < count; i += 5) keys[i] = keys[i / 2];  // some twice
  const OnDevice<unsigned> a(keys), b(count), counts(digits * blocks);
  unsigned *from = a.get(), *to = b.get();
  for (int shift = 0; shift < 32; shift += digit_bits, std::swap(from, to)) {
    count_digits<<<blocks, threads>>>(from, count, shift, counts.get());
    scan<<<1, 32>>>(counts.get(), digits * blocks);
    scatter<<<blocks, threads>>>(from, to, count, shift, counts.get());
  }
  finish();
  std::sort(keys.begin(), keys.end());
  expect_equal(a.fetch(), keys, "sorted");  // eight passes end where they began
  return passed();
}
