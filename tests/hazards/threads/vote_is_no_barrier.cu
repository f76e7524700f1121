// hazard: shared-race
// A vote, like a shuffle, brings the lanes of a warp together but orders no memory: "these
// intrinsics do not imply a memory barrier" (programming guide, 'Warp Vote Functions').
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void vote(const int* in, int* out) {
  __shared__ int cells[32];
  const int lane = threadIdx.x;
  cells[lane] = in[lane] + 1;
  const bool any = __any_sync(0xffffffffu, in[lane] > 100);
  if constexpr (fixed) __syncwarp();
  out[lane] = cells[31 - lane] + any;
}

template <bool fixed>
bool run() {
  std::vector<int> values(32);
  for (int i = 0; i < 32; ++i) values[i] = i * 4;
  hazard::Array<int> in(values), out(32);
  vote<fixed><<<1, 32>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return (31 - i) * 4 + 2; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
