// hazard: tensor-group
// options: --device b200,sms=4
// A pair multiplies and one of its threads commits with .cta_group::1.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

// The manual forbids the mixture within a function, too; there it is refused with the module.
__device__ __noinline__ void commit_for_one(std::uint32_t barrier) { commit<1>(barrier); }

template <bool fixed>
// example begin: tensor-group
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  if (cluster_rank() == 0 && one()) {
    product<2>(base, shared.stage[0]);
    commit<2>(shared_address(&shared.done));
    if (!fixed) commit_for_one(shared_address(&shared.token));
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
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
