// hazard: tensor-commit
// also: tensor-unwritten, tensor-race
// options: --device b200,sms=4
// Two threads add to one accumulator. Products of different threads are ordered by a commit and
// a wait, not by a barrier of the block.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) product(base, shared.stage[0]);
  if (fixed) {
    if (one()) commit_done(shared);
    wait_done(shared);
  }
  if (threadIdx.x == 32) {
    multiply<1>(base, matrix(shared.stage[0].a, 128), matrix(shared.stage[0].b, 16),
                bf16_product(128, 16), true);
    commit<1>(shared_address(&shared.token));
  }
  for (int arrival = 1; one() && arrival < threads; ++arrival) arrive_token(shared);
  wait_token(shared);
  if (!fixed) {
    if (one()) commit_done(shared);
    wait_done(shared);
  }
  __syncwarp();
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, 2 * sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
