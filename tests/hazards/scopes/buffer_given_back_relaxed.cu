// hazard: counter-fence
// A buffer goes to and fro. The reader acquires, the writer polls with a relaxed load before it
// overwrites what has been read.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr std::uint32_t rounds = 3;

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* full, std::uint32_t* empty,
                     std::uint32_t* out) {
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (blockIdx.x == 0) {
      while ((fixed ? ptx::load_acquire(empty) : ptx::load_relaxed(empty)) != round) {
      }
      *data = 40 + round;
      ptx::store_release(full, round + 1);
    } else {
      while (ptx::load_acquire(full) != round + 1) {
      }
      out[round] = *data;
      ptx::store_release(empty, round + 1);
    }
  }
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(1), full(1), empty(1), out(rounds);
  pass<fixed><<<2, 1>>>(data.get(), full.get(), empty.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return 40 + i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
