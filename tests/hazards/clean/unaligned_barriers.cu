// hazard: none
// options: --uninitialised
// barrier.sync without .aligned may be executed by parts of a warp, in different branches: each
// lane counts for itself. __syncthreads_count() is a barrier for memory as well.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

__global__ void meet(int* out) {
  __shared__ int cells[64];
  const int thread = threadIdx.x;
  if (thread % 32 < 16) {
    cells[thread] = thread;
    ptx::barrier_sync_unaligned(1, 64);
  } else {
    cells[thread] = thread * 2;
    ptx::barrier_sync_unaligned(1, 64);
  }
  int seen = cells[63 - thread];
  const int high = __syncthreads_count(thread >= 48);
  cells[thread] = seen;
  seen += __syncthreads_or(seen == 0) ? cells[thread ^ 32] : 0;
  out[thread] = seen + high;
}

bool run() {
  hazard::Array<int> out(64);
  meet<<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) {
    const auto cell = [](int thread) { return thread % 32 < 16 ? thread : thread * 2; };
    return cell(63 - i) + cell(63 - (i ^ 32)) + 16;
  });
}

const hazard::Program program(__FILE__, run);

}  // namespace
