// hazard: shared-race
// One lane of a warp reads 16 bytes, another one reads the same, and the second overwrites them
// with no __syncwarp() behind the first one's read. Other instructions have used the words one by
// one.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void read_and_write(int* out) {
  __shared__ alignas(16) int cells[64];
  const int lane = threadIdx.x;
  if (lane % 2 == 0) cells[lane] = lane;
  if (lane % 2 != 0) cells[lane] = lane;
  __syncwarp();
  int4* const words = reinterpret_cast<int4*>(cells + 8);
  if (lane == 5) *reinterpret_cast<int4*>(out) = *words;
  int4 next{};
  if (lane == 3) next = *words;
  if constexpr (fixed) __syncwarp();
  if (lane == 3) *words = {next.x + 1, next.y + 1, next.z + 1, next.w + 1};
  __syncwarp();
  if (lane < 4) out[4 + lane] = cells[8 + lane];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(8);
  read_and_write<fixed><<<1, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i < 4 ? 8 + i : 5 + i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
