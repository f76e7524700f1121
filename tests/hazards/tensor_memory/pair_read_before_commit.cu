// hazard: tensor-commit
// options: --device b200,sms=4
// The leader multiplies for both blocks; the other one reads its half behind a cluster barrier
// instead of the commit.
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
  cluster_sync();
  if (fixed || cluster_rank() == 0) wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  wait_done(shared);
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
