// hazard: global-race
// also: counter-fence
// says: L1 may still hold the old ones
// A third block has loaded the word beside the data, which is of the same 32 bytes, before the data
// was written: where it shares the SM with the reader, L1 holds the old data.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* flags, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    out[1] = data[1];
    ptx::store_release(&flags[0], 1);
  } else if (blockIdx.x == 1) {
    while (ptx::load_acquire(&flags[0]) == 0) {
    }
    data[0] = 43;
    ptx::store_release(&flags[1], 1);
  } else {
    while ((fixed ? ptx::load_acquire(&flags[1]) : ptx::load_relaxed(&flags[1])) == 0) {
    }
    out[0] = data[0];
  }
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(2), flags(2), out(2);
  pass<fixed><<<3, 1>>>(data.get(), flags.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i == 0 ? 43 : 0; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
