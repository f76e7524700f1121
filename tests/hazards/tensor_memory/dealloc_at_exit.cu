// hazard: dealloc-at-exit
// options: --device b200,sms=4
// The blocks of a pair meet before tcgen05.dealloc and leave right behind it, as libraries do.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
// example begin: dealloc-at-exit
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
  put(out, row);
  cluster_sync();
  if (warp() == 0) free_columns<2>(base);
  if (fixed) cluster_sync();
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 2);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
