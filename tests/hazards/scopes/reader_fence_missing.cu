// hazard: counter-fence
// The writer's fence makes its store a release; the reader's relaxed load has no fence behind it
// and acquires nothing: half of a pattern synchronises with no thread (PTX memory model). No cache
// holds the data, so that a GPU shows no old value.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void pass(std::uint32_t* data, std::uint32_t* flag, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    *data = 43;
    ptx::fence_gpu();
    ptx::store_relaxed(flag, 1);
  } else {
    while (ptx::load_relaxed(flag) == 0) {
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
  return out.holds([](int) { return 43; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
