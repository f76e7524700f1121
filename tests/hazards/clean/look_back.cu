// hazard: none
// options: --uninitialised
// A scan in one pass: each block publishes its sum with a release store of its state, looks back
// over its predecessors with acquire loads, and publishes its prefix in the same way.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int threads = 32, blocks = 12;
enum State : std::uint32_t { nothing, has_sum, has_prefix };

__global__ void scan(const int* in, std::uint32_t* ticket, std::uint32_t* state, int* sums,
                     int* prefixes, int* out) {
  const int lane = threadIdx.x;
  int block = lane == 0 ? ptx::add_relaxed(ticket, 1) : 0;
  block = __shfl_sync(0xffffffffu, block, 0);
  int value = in[block * threads + lane];
  for (int step = 1; step < 32; step *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += left;
  }
  int before = 0;
  if (lane == 31) {
    sums[block] = value;
    ptx::store_release(state + block, has_sum);
    for (int at = block - 1; at >= 0; --at) {
      std::uint32_t found = nothing;
      while (found == nothing) found = ptx::load_acquire(state + at);
      before += found == has_prefix ? prefixes[at] : sums[at];
      if (found == has_prefix) break;
    }
    prefixes[block] = before + value;
    ptx::store_release(state + block, has_prefix);
  }
  out[block * threads + lane] = value + __shfl_sync(0xffffffffu, before, 31);
}

bool run() {
  hazard::Array<int> in(std::vector<int>(threads * blocks, 3)), out(threads * blocks);
  hazard::Array<int> sums(blocks), prefixes(blocks);
  hazard::Array<std::uint32_t> ticket(1), state(blocks);
  scan<<<blocks, threads>>>(in.get(), ticket.get(), state.get(), sums.get(), prefixes.get(),
                            out.get());
  hazard::finish();
  return out.holds([](int i) { return 3 * (i + 1); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
