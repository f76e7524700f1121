// hazard: shared-race
// One lane of a warp reads a word that another lane of it overwrites next, with no __syncwarp()
// between the two.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void read_and_write(int* out) {
  __shared__ int cells[64];
  const int lane = threadIdx.x;
  cells[lane * 2] = lane;
  __syncwarp();
  if (lane == 5) out[0] = cells[10];
  if constexpr (fixed) __syncwarp();
  if (lane == 3) cells[10] = 7;
  __syncwarp();
  if (lane == 0) out[1] = cells[10];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(2);
  read_and_write<fixed><<<1, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i == 0 ? 5 : 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
