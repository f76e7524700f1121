// hazard: none
// options: --uninitialised
// Many blocks add into the same outputs with atomics of several kinds; a volatile and a relaxed
// load of a counter that others add to are no races either: both sides are strong.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int threads = 64, blocks = 6;

__global__ void add(float* sums, int* maximum, std::uint32_t* counter, std::uint32_t* seen) {
  __shared__ float of_block[4];
  if (threadIdx.x < 4) of_block[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(of_block + threadIdx.x % 4, 1.0f);
  atomicMax(maximum, static_cast<int>(blockIdx.x * threads + threadIdx.x));
  ptx::add_relaxed(counter, 1);
  const std::uint32_t now = ptx::load_relaxed(counter);
  const std::uint32_t later = *const_cast<volatile std::uint32_t*>(counter);
  if (now > 0 && later >= now) atomicAdd(seen, 1u);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(sums + threadIdx.x, of_block[threadIdx.x]);
}

bool run() {
  hazard::Array<float> sums(4);
  hazard::Array<int> maximum(1);
  hazard::Array<std::uint32_t> counter(1), seen(1);
  add<<<blocks, threads>>>(sums.get(), maximum.get(), counter.get(), seen.get());
  hazard::finish();
  return sums.holds([](int) { return threads * blocks / 4; }) &&
         maximum.holds([](int) { return threads * blocks - 1; }) &&
         seen.holds([](int) { return threads * blocks; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
