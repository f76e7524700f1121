// hazard: none
// Each of two blocks loads half of every tile into both. A slot is empty when the readers of both
// blocks have said so at both producers; the peer's half may land before the own bytes are
// expected.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, half = count / 2, stages = 2, steps = 7;

__global__ void __cluster_dims__(2) broadcast(const int* in, int* out) {
  __shared__ alignas(128) int slot[stages][count];
  __shared__ std::uint64_t full[stages], empty[stages];
  const int rank = ptx::cluster_rank(), lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      ptx::mbarrier_init(&full[i], 1);
      ptx::mbarrier_init(&empty[i], 2);
    }
    ptx::fence_mbarrier_init();
  }
  ptx::cluster_sync();
  for (int step = 0; step < steps && (threadIdx.x == 0 || threadIdx.x >= 32); ++step) {
    const int at = step % stages, round = step / stages;
    if (threadIdx.x == 0) {
      ptx::mbarrier_wait_cluster(&empty[at], ~round & 1);
      ptx::mbarrier_arrive_expect(&full[at], count * sizeof(int));
      ptx::bulk_load_to(&slot[at][rank * half], in + step * count + rank * half, half * sizeof(int),
                        &full[at], 3);
    } else {
      ptx::mbarrier_wait_cluster(&full[at], round & 1);
      for (int i = lane; i < count; i += 32) out[(rank * steps + step) * count + i] = slot[at][i];
      __syncwarp();
      if (lane < 2) ptx::mbarrier_arrive_cluster(ptx::map_to(&empty[at], lane));
    }
  }
  __syncwarp();
  ptx::cluster_sync();  // the last arrivals are for barriers of blocks that are still there
}

bool run() {
  const hazard::Array<int> in(hazard::numbers(steps * count)), out(2 * steps * count);
  broadcast<<<2, 64>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(i % (steps * count)); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
