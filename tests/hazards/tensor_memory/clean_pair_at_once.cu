// hazard: none
// options: --device b200,sms=4
// The warp that has allocated for a pair multiplies for both blocks at once: its tcgen05.alloc
// returns when both have their columns, whichever of them came last.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  cluster_sync();
  if (warp() == 0) {
    allocate<2>(shared_address(&shared.base), columns);
    __syncwarp();
    if (cluster_rank() == 0 && one()) {
      product<2>(shared.base, shared.stage[0]);
      commit<2>(shared_address(&shared.done));
    }
  }
  cluster_sync();
  wait_done(shared);
  const Row row = load(shared.base);
  wait_loads();
  put(out, row);
  cluster_sync();
  if (warp() == 0) free_columns<2>(shared.base);
  cluster_sync();
}

bool run_clean() { return run(use, sum, 2); }

const hazard::Program program(__FILE__, run_clean);

}  // namespace
