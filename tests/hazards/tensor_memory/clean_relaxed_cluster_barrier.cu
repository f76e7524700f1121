// hazard: none
// options: --device b200,sms=4
// Cluster barriers with a relaxed arrival behind tcgen05.alloc, behind loads that were waited for,
// and before tcgen05.dealloc: all is over when the thread arrives, and needs no tcgen05.fence.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  cluster_sync();
  if (warp() == 0) allocate<2>(shared_address(&shared.base), columns);
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  constexpr std::uint32_t base = 0;  // of the first allocation on an SM
  // By another warp than the one that allocates.
  if (cluster_rank() == 0 && threadIdx.x == 32) {
    product<2>(base, shared.stage[0]);
    commit<2>(shared_address(&shared.done));
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  if (cluster_rank() == 0 && one()) {
    product<2>(base, shared.stage[1]);
    commit<2>(shared_address(&shared.done));
  }
  put(out, row);
  wait_done(shared, 1);
  (void)load(base);
  wait_loads();
  store(base, ones);
  wait_stores();
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  if (warp() == 0) free_columns<2>(base);
  cluster_sync();
}

bool run_side() { return run(use, sum, 2); }

const hazard::Program program(__FILE__, run_side);

}  // namespace
