// Merge sort by merge path: every block finds its part of both runs by a binary search along a
// diagonal and merges it in shared memory; every thread does the same within the block.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int threads = 64, per_thread = 4, tile = threads * per_thread;

// How many of the first `diagonal` elements of the merged run come from a.
__device__ int split(const int* a, int a_count, const int* b, int b_count, int diagonal) {
  int low = max(0, diagonal - b_count), high = min(diagonal, a_count);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Pairs of sorted runs of `run` elements become sorted runs of twice as many.
__global__ void merge_runs(const int* in, int* out, int count, int run) {
  __shared__ int held[tile];
  const int first = blockIdx.x * tile;
  const int pair = first / (2 * run) * 2 * run;
  const int middle = min(pair + run, count), end = min(pair + 2 * run, count);
  const int *a = in + pair, *b = in + middle;
  const int from = first - pair, to = min(from + tile, end - pair);
  const int a_from = split(a, middle - pair, b, end - middle, from);
  const int a_to = split(a, middle - pair, b, end - middle, to);
  const int a_count = a_to - a_from, b_count = to - from - a_count;
  for (int i = threadIdx.x; i < to - from; i += threads)
    held[i] = i < a_count ? a[a_from + i] : b[from - a_from + i - a_count];
  __syncthreads();
  const int *a_held = held, *b_held = held + a_count;
  const int diagonal = min(static_cast<int>(threadIdx.x) * per_thread, to - from);
  int at_a = split(a_held, a_count, b_held, b_count, diagonal), at_b = diagonal - at_a;
  for (int i = diagonal; i < min(diagonal + per_thread, to - from); ++i) {
    const bool take_a = at_b == b_count || (at_a < a_count && a_held[at_a] <= b_held[at_b]);
    out[first + i] = take_a ? a_held[at_a++] : b_held[at_b++];
  }
}

__global__ void sort_tiles(int* data, int count) {  // odd-even transposition within a tile
  __shared__ int held[tile];
  const int first = blockIdx.x * tile;
  for (int i = threadIdx.x; i < tile; i += threads)
    held[i] = first + i < count ? data[first + i] : 0x7fffffff;
  for (int round = 0; round < tile; ++round) {
    __syncthreads();
    for (int i = round % 2 + 2 * threadIdx.x; i + 1 < tile; i += 2 * threads)
      if (held[i] > held[i + 1]) {
        const int larger = held[i];
        held[i] = held[i + 1];
        held[i + 1] = larger;
      }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < tile; i += threads)
    if (first + i < count) data[first + i] = held[i];
}

}  // namespace

int main() {
  constexpr int count = 1501;
  std::vector<int> values;
  for (const unsigned bits : numbers(count, 3)) values.push_back(static_cast<int>(bits) >> 16);
  const OnDevice<int> a(values), b(count);
  sort_tiles<<<blocks_for(count, tile), threads>>>(a.get(), count);
  int *from = a.get(), *to = b.get();
  for (int run = tile; run < count; run *= 2, std::swap(from, to))
    merge_runs<<<blocks_for(count, tile), threads>>>(from, to, count, run);
  finish();
  std::vector<int> got(count);
  CHECK(cudaMemcpy(got.data(), from, count * sizeof(int), cudaMemcpyDefault));
  std::sort(values.begin(), values.end());
  expect_equal(got, values, "sorted");
  return passed();
}
