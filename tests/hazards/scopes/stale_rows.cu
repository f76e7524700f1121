// hazard: global-race
// also: counter-fence
// says: L1 may still hold the old ones
// The same of whole warps side by side, that poll with one lane and meet at a block barrier.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int threads = 64;
constexpr std::uint32_t rounds = 2;

__device__ bool is_first() { return threadIdx.x == 0; }

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* full, std::uint32_t* empty,
                     std::uint32_t* out) {
  const std::uint32_t thread = threadIdx.x;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const bool writes = blockIdx.x == 0;
    if (is_first() && writes)
      while (ptx::load_acquire(empty) != round) {
      }
    if (is_first() && !writes)
      while ((fixed ? ptx::load_acquire(full) : ptx::load_relaxed(full)) != round + 1) {
      }
    __syncthreads();
    if (writes)
      data[thread] = 40 * round + thread;
    else
      out[round * threads + thread] = data[thread];
    __syncthreads();
    if (is_first()) ptx::store_release(writes ? full : empty, round + 1);
  }
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(threads), full(1), empty(1), out(rounds * threads);
  pass<fixed><<<2, threads>>>(data.get(), full.get(), empty.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i / threads * 40 + i % threads; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
