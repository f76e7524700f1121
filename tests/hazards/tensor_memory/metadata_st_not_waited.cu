// hazard: tensor-wait
// options: --device b200,sms=4
// says: reads the metadata in column 33
// says: tcgen05.wait::st.sync.aligned by that warp
// The metadata of a sparse A is written with tcgen05.st, and the product starts before
// tcgen05.wait::st.
#include "tests/hazards/tensor_memory/sparse.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), metadata = base + other;
  store_column(metadata + 1, first_two);
  if (fixed) wait_stores();
  __syncthreads();
  if (one()) {
    sparse_product(base, shared, metadata);
    commit_done(shared);
  }
  wait_done(shared);
  wait_stores();
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sparse_sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
