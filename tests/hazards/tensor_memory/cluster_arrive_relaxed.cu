// hazard: tensor-fence
// also: tensor-fence-block
// options: --device b200,sms=4
// The blocks of a pair fill the accumulator and meet at a cluster barrier with a relaxed arrival:
// what they have stored is not passed on to the leader's product without tcgen05.fence.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: tensor-fence
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  for (int i = 0; i < n; i += 8) store(base + static_cast<std::uint32_t>(i), __float_as_uint(1));
  wait_stores();
  if (fixed) before_sync();
  asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  if (cluster_rank() == 0 && one()) {
    product<2>(base, shared.stage[0], true);
    commit<2>(shared_address(&shared.done));
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  cluster_sync();
  if (warp() == 0) free_columns<2>(base);
  cluster_sync();
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum + 1, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
