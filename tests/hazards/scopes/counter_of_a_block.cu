// hazard: global-race
// The writer releases at gpu scope, the reader polls with a relaxed load of block scope: its scope
// does not hold the writer, so that it has seen nothing by the rules.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* flag, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    *data = 45;
    ptx::fence_gpu();
    ptx::store_relaxed(flag, 1);
  } else {
    while ((fixed ? ptx::load_relaxed(flag) : ptx::load_relaxed_cta(flag)) == 0) {
    }
    if constexpr (fixed) ptx::fence_gpu();
    *out = *data;
  }
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> data(1), flag(1), out(1);
  pass<fixed><<<2, 1>>>(data.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int) { return 45; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
