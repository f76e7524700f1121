// hazard: none
// options: --uninitialised
// __syncwarp() with the lanes of a branch only: each half exchanges within itself at its own pace,
// every third lane with a mask from a ballot, and the whole warp meets again before it crosses.
#include "tests/hazards/hazard.hpp"

namespace {

__global__ void exchange(int* out) {
  __shared__ int cells[32], thirds[11];
  const int lane = threadIdx.x;
  int seen;
  if (lane < 16) {
    cells[lane] = lane;
    __syncwarp(0x0000ffffu);
    seen = cells[15 - lane];
  } else {
    cells[lane] = lane * 10;
    __syncwarp(0xffff0000u);
    seen = cells[47 - lane];
  }
  __syncwarp();
  seen += cells[lane ^ 16];
  const unsigned mask = __ballot_sync(0xffffffffu, lane % 3 == 0);
  if (lane % 3 == 0) {
    thirds[lane / 3] = lane;
    __syncwarp(mask);
    seen += thirds[10 - lane / 3];
  }
  out[lane] = seen;
}

bool run() {
  hazard::Array<int> out(32);
  exchange<<<1, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) {
    const auto cell = [](int lane) { return lane < 16 ? lane : lane * 10; };
    return cell(i < 16 ? 15 - i : 47 - i) + cell(i ^ 16) + (i % 3 == 0 ? 30 - i : 0);
  });
}

const hazard::Program program(__FILE__, run);

}  // namespace
