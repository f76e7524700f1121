// hazard: tensor-commit
// options: --device b200,sms=4
// says: the metadata
// The next metadata is stored while a product is in flight: into the column that the product's
// selector chooses. The other column of the two is free.
#include "tests/hazards/tensor_memory/sparse.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared), metadata = base + other;
  store_column(metadata + 1, first_two);
  wait_stores();
  __syncthreads();
  if (one()) {
    sparse_product(base, shared, metadata);
    commit_done(shared);
  }
  __syncthreads();
  store_column(metadata + (fixed ? 0 : 1), 0xeeeeeeeeu);
  wait_stores();
  wait_done(shared);
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
