// A scan in one pass over memory: blocks take tickets, publish their sum and later their prefix in
// one 64-bit word, and look back over a window of 32 predecessors at a time.
#include <cuda/atomic>

#include "check.hpp"

namespace {

constexpr int threads = 128, per_thread = 4, tile = threads * per_thread;
enum State : unsigned { nothing, has_sum, has_prefix };

using Word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
__device__ unsigned long long packed(unsigned state, unsigned value) {
  return static_cast<unsigned long long>(state) << 32 | value;
}

__device__ unsigned warp_scan(unsigned value, int lane) {
  for (int step = 1; step < 32; step *= 2) {
    const unsigned left = __shfl_up_sync(~0u, value, step);
    if (lane >= step) value += left;
  }
  return value;
}

// By the first warp: the sum of all tiles before this one. State and value are one word, so that
// relaxed accesses are enough.
__device__ unsigned sum_before(unsigned long long* words, int own, int lane) {
  unsigned before = 0;
  for (int last = own - 1; last >= 0; last -= 32) {
    const int at = last - lane;
    unsigned long long word = packed(has_prefix, 0);  // in front of the first tile
    if (at >= 0) do {
        word = Word(words[at]).load(cuda::memory_order_relaxed);
      } while (word >> 32 == nothing);
    const unsigned prefixes = __ballot_sync(~0u, word >> 32 == has_prefix);
    const int nearest = __ffs(static_cast<int>(prefixes)) - 1;  // -1: none in the window
    const bool counts = nearest < 0 || lane <= nearest;
    before += __reduce_add_sync(~0u, counts ? static_cast<unsigned>(word) : 0u);
    if (nearest >= 0) break;
  }
  return before;
}

__global__ void __launch_bounds__(threads) scan(const unsigned* in, unsigned* out, int count,
                                                unsigned* ticket, unsigned long long* words) {
  __shared__ unsigned warp_sums[threads / 32], tile_number, before_tile;
  if (threadIdx.x == 0) tile_number = atomicAdd(ticket, 1u);
  __syncthreads();
  const int own = static_cast<int>(tile_number), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = own * tile + static_cast<int>(threadIdx.x) * per_thread;
  unsigned values[per_thread], sum = 0;
  for (int i = 0; i < per_thread; ++i) {
    sum += first + i < count ? in[first + i] : 0;
    values[i] = sum;
  }
  const unsigned up_to = warp_scan(sum, lane);
  if (lane == 31) warp_sums[warp] = up_to;
  __syncthreads();
  unsigned before = up_to - sum, total = 0;
  for (int i = 0; i < threads / 32; ++i) {
    if (i < warp) before += warp_sums[i];
    total += warp_sums[i];
  }
  if (warp == 0) {
    if (lane == 0)
      Word(words[own])
          .store(packed(own == 0 ? has_prefix : has_sum, total), cuda::memory_order_relaxed);
    const unsigned in_front = own == 0 ? 0 : sum_before(words, own, lane);
    if (lane == 0) {
      if (own > 0)
        Word(words[own]).store(packed(has_prefix, in_front + total), cuda::memory_order_relaxed);
      before_tile = in_front;
    }
  }
  __syncthreads();
  for (int i = 0; i < per_thread; ++i)
    if (first + i < count) out[first + i] = before_tile + before + values[i];
}

}  // namespace

int main() {
  constexpr int count = 40 * tile + 77;
  constexpr unsigned tiles = blocks_for(count, tile);
  auto values = numbers(count, 2);
  const OnDevice<unsigned> in(values), out(count), ticket(std::vector<unsigned>(1, 0));
  const OnDevice<unsigned long long> words(std::vector<unsigned long long>(tiles, 0));
  scan<<<tiles, threads>>>(in.get(), out.get(), count, ticket.get(), words.get());
  finish();
  for (int i = 1; i < count; ++i) values[i] += values[i - 1];
  expect_equal(out.fetch(), values, "inclusive scan");
  return passed();
}
