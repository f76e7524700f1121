// hazard: tensor-fence
// options: --device b200,sms=4
// The blocks of a pair meet at a cluster barrier with a relaxed arrival: what their loads have
// read is not passed on without tcgen05.fence.
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
  wait_loads();
  if (fixed) before_sync();
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  if (cluster_rank() == 0 && one()) {
    product<2>(base, shared.stage[1]);
    commit<2>(shared_address(&shared.done));
  }
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
