// hazard: none
// Cooperative groups: tiles of 16 lanes exchange through shared memory with tile.sync(), and the
// lanes that take a branch do so with coalesced_threads().sync().
#include <cooperative_groups.h>

#include "tests/hazards/hazard.hpp"

namespace {

namespace cg = cooperative_groups;

__global__ void exchange(int* out) {
  __shared__ int cells[64];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int thread = threadIdx.x, lane = static_cast<int>(tile.thread_rank());
  int* own = cells + thread / 16 * 16;
  own[lane] = thread;
  tile.sync();
  const int mirrored = own[15 - lane];
  tile.sync();
  if (lane < 5) {
    const auto few = cg::coalesced_threads();
    own[lane] = mirrored;
    few.sync();
    out[thread] = own[4 - lane];
  } else {
    out[thread] = mirrored;
  }
}

bool run() {
  hazard::Array<int> out(64);
  exchange<<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) {
    const int first = i / 16 * 16, lane = i % 16;
    return lane < 5 ? first + 15 - (4 - lane) : first + 15 - lane;
  });
}

const hazard::Program program(__FILE__, run);

}  // namespace
