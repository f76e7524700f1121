// hazard: stream-race
// A flag is stored relaxed in one stream and loaded weakly in another: both sides must be strong.
#include "tests/hazards/host/streams.cuh"
#include "tests/hazards/ptx.cuh"

namespace {

__global__ void announce(std::uint32_t* flag) { ptx::store_relaxed(flag, 1); }
template <bool fixed>
__global__ void look(std::uint32_t* out, const std::uint32_t* flag) {
  *out = fixed ? ptx::load_relaxed(flag) : ptx::load_weak(flag);
}

template <bool fixed>
bool run() {
  const host::Stream first, second;
  hazard::Array<std::uint32_t> flag(1), out(1);
  announce<<<1, 1, 0, first>>>(flag.get());
  look<fixed><<<1, 1, 0, second>>>(out.get(), flag.get());
  hazard::finish();
  return flag.holds([](int) { return 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
