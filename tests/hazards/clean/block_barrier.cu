// hazard: none
// cuda::barrier of libcu++: split arrive and wait, used again and again, and arrive_and_drop() by
// the half of the block that leaves early.
#include <cuda/barrier>

#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, turns = 5;
#pragma nv_diag_suppress static_var_with_dynamic_init  // initialised by init()

__global__ void turn_around(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier met;
  __shared__ int cells[2][threads];
  const int thread = threadIdx.x;
  if (thread == 0) init(&met, threads);
  __syncthreads();
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    cells[turn % 2][thread] = thread * turn;
    auto token = met.arrive();
    sum += turn;  // work of its own
    met.wait(static_cast<Barrier::arrival_token&&>(token));
    sum += cells[turn % 2][threads - 1 - thread];
  }
  out[thread] = sum;
  if (thread >= threads / 2) {
    met.arrive_and_drop();
    return;
  }
  cells[turns % 2][thread] = sum;  // the buffer that nobody reads any more
  met.arrive_and_wait();
  out[thread] = cells[turns % 2][threads / 2 - 1 - thread];
}

bool run() {
  hazard::Array<int> out(threads);
  turn_around<<<1, threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) {
    const int from = i < threads / 2 ? threads / 2 - 1 - i : i;
    return 10 + 10 * (threads - 1 - from);
  });
}

const hazard::Program program(__FILE__, run);

}  // namespace
