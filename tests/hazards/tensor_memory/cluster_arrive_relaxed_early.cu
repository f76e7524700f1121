// hazard: tensor-wait
// options: --device b200,sms=4
// A relaxed cluster barrier lets the next product start while tcgen05.ld is in flight.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  if (cluster_rank() == 0 && one()) {
    product<2>(base, shared.stage[0]);
    commit<2>(shared_address(&shared.done));
  }
  wait_done(shared);
  const Row row = load(base);
  if (fixed) wait_loads();
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  if (cluster_rank() == 0 && one()) {
    product<2>(base, shared.stage[1]);
    commit<2>(shared_address(&shared.done));
  }
  wait_loads();
  put(out, row);
  wait_done(shared, 1);
  cluster_sync();
  if (warp() == 0) free_columns<2>(base);
  cluster_sync();
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
