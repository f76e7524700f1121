// Bitonic sort of key and value pairs: the short distances in shared memory, one kernel for all of
// them, the long ones over global memory.
#include <algorithm>
#include <numeric>

#include "check.hpp"

namespace {

constexpr int block_size = 256;  // elements; half as many threads

__device__ bool belongs_up(int i, int run) { return (i & run) == 0; }

template <class Key>
__device__ void exchange(Key& a, Key& b, int& va, int& vb, bool up) {
  if ((a > b) != up) return;
  const Key key = a;
  a = b, b = key;
  const int value = va;
  va = vb, vb = value;
}

// Distances below block_size of one run, or of all runs up to block_size.
__global__ void near(float* keys, int* values, int first_run, int last_run) {
  __shared__ float k[block_size];
  __shared__ int v[block_size];
  const int base = blockIdx.x * block_size;
  for (int i = threadIdx.x; i < block_size; i += blockDim.x) {
    k[i] = keys[base + i];
    v[i] = values[base + i];
  }
  for (int run = first_run; run <= last_run; run *= 2)
    for (int distance = min(run, block_size) / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int i = threadIdx.x, a = i / distance * distance * 2 + i % distance;
      exchange(k[a], k[a + distance], v[a], v[a + distance], belongs_up(base + a, run));
    }
  __syncthreads();
  for (int i = threadIdx.x; i < block_size; i += blockDim.x) {
    keys[base + i] = k[i];
    values[base + i] = v[i];
  }
}

__global__ void far(float* keys, int* values, int run, int distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int a = i / distance * distance * 2 + i % distance;
  exchange(keys[a], keys[a + distance], values[a], values[a + distance], belongs_up(a, run));
}

}  // namespace

int main() {
  constexpr int count = 2048;
  const auto keys = reals(count, 1, -100, 100);
  std::vector<int> places(count);
  std::iota(places.begin(), places.end(), 0);
  const OnDevice<float> device_keys(keys);
  const OnDevice<int> device_places(places);
  near<<<count / block_size, block_size / 2>>>(device_keys.get(), device_places.get(), 2,
                                               block_size);
  for (int run = 2 * block_size; run <= count; run *= 2) {
    for (int distance = run / 2; distance >= block_size; distance /= 2)
      far<<<count / 2 / 128, 128>>>(device_keys.get(), device_places.get(), run, distance);
    near<<<count / block_size, block_size / 2>>>(device_keys.get(), device_places.get(), run, run);
  }
  finish();
  auto want = keys;
  std::sort(want.begin(), want.end());
  expect_equal(device_keys.fetch(), want, "sorted keys");
  const auto order = device_places.fetch();
  for (int i = 0; i < count; ++i) expect(keys[order[i]] == want[i], "values follow their keys");
  std::sort(places.begin(), places.end());
  auto all = order;
  std::sort(all.begin(), all.end());
  expect_equal(all, places, "every value once");
  return passed();
}
