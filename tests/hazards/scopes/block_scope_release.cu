// hazard: global-race
// Release and acquire at the scope of the block, between two blocks: neither is in the other's
// scope, so the flag's accesses are not morally strong and synchronise nothing (PTX memory model).
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
// example begin: global-race
__global__ void pass(std::uint32_t* data, std::uint32_t* flag, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    *data = 45;
    fixed ? ptx::store_release(flag, 1) : ptx::store_release_cta(flag, 1);
  } else {
    while ((fixed ? ptx::load_acquire(flag) : ptx::load_acquire_cta(flag)) == 0) {
    }
    *out = *data;
  }
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(1), flag(1), out(1);
  pass<fixed><<<2, 1>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 45; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
