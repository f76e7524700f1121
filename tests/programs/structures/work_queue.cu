// Quicksort by a queue of ranges in device memory: persistent blocks take ranges, split them and
// put the halves back, until a counter of elements in place says that all is done.
#include <cuda/atomic>

#include <algorithm>

#include "check.hpp"

namespace {

template <class T>
using Ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
constexpr int threads = 32, slots = 4096;

struct Queue {
  unsigned put, get;
  int placed;  // elements that are where they belong
  int2 ranges[slots];
  unsigned ready[slots];
};

__device__ void put(Queue* queue, int first, int last) {
  const unsigned at = Ref(queue->put).fetch_add(1u, cuda::memory_order_relaxed);
  queue->ranges[at] = make_int2(first, last);
  Ref(queue->ready[at]).store(1u, cuda::memory_order_release);
}

__device__ void sort_small(int* data, int first, int last) {  // one warp, odd-even
  for (int round = 0; round < last - first; ++round) {
    for (int i = first + round % 2 + 2 * static_cast<int>(threadIdx.x); i + 1 < last;
         i += 2 * threads) {
      const int a = data[i], b = data[i + 1];
      data[i] = min(a, b);
      data[i + 1] = max(a, b);
    }
    __syncwarp();
  }
}

// Smaller ones to the front of `other`, larger ones to its end, then all back.
__device__ int split(int* data, int* other, int first, int last) {
  const int pivot = data[first + (last - first) / 2], lane = threadIdx.x;
  int low = first, high = last;
  for (int start = first; start < last; start += threads) {
    const bool valid = start + lane < last;
    const int value = valid ? data[start + lane] : 0;
    const unsigned before = (1u << lane) - 1, less = __ballot_sync(~0u, valid && value < pivot),
                   more = __ballot_sync(~0u, valid && value > pivot);
    if (valid && value < pivot) other[low + __popc(less & before)] = value;
    if (valid && value > pivot) other[high - 1 - __popc(more & before)] = value;
    low += __popc(less);
    high -= __popc(more);
  }
  for (int i = low + lane; i < high; i += threads) other[i] = pivot;
  __syncwarp();
  for (int i = first + lane; i < last; i += threads) data[i] = other[i];
  __syncwarp();
  return low << 16 | high;
}

__global__ void work(int* data, int* other, Queue* queue, int count) {
  __shared__ int2 range;
  for (;;) {
    if (threadIdx.x == 0) {
      range = make_int2(-1, -1);
      const unsigned at = Ref(queue->get).fetch_add(1u, cuda::memory_order_relaxed);
      // Nobody may ever fill that place: then everything ends up where it belongs meanwhile.
      while (at < slots && Ref(queue->placed).load(cuda::memory_order_relaxed) < count) {
        if (Ref(queue->ready[at]).load(cuda::memory_order_acquire)) {
          range = queue->ranges[at];
          break;
        }
        __nanosleep(50);
      }
    }
    __syncwarp();
    const int2 own = range;
    __syncwarp();
    if (own.x < 0) return;
    int placed = 0;
    if (own.y - own.x <= 64) {
      sort_small(data, own.x, own.y);
      placed = own.y - own.x;
    } else {
      const int both = split(data, other, own.x, own.y), low = both >> 16, high = both & 0xffff;
      placed = high - low;
      if (threadIdx.x == 0) {
        if (low > own.x) put(queue, own.x, low);
        if (high < own.y) put(queue, high, own.y);
      }
    }
    if (threadIdx.x == 0) Ref(queue->placed).fetch_add(placed, cuda::memory_order_relaxed);
  }
}

}  // namespace

int main() {
  constexpr int count = 3000;
  std::vector<int> values;
  for (const unsigned bits : numbers(count, 1)) values.push_back(static_cast<int>(bits) >> 18);
  std::vector<Queue> start(1);
  start[0].put = 1;
  start[0].ranges[0] = make_int2(0, count);
  start[0].ready[0] = 1;
  const OnDevice<int> data(values), other(count);
  const OnDevice<Queue> queue(start);
  work<<<6, threads>>>(data.get(), other.get(), queue.get(), count);
  finish();
  std::sort(values.begin(), values.end());
  expect_equal(data.fetch(), values, "sorted");
  expect(queue.fetch()[0].placed == count, "every element has its place");
  return passed();
}
