// hazard: commit-address
// options: --device b200,sms=4
// says: where a generic address belongs
// tcgen05.commit without .shared::cluster is given the mbarrier's address within shared memory.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

__device__ void commit_at(std::uint64_t barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%0];" ::"l"(barrier)
               : "memory");
}

template <bool fixed>
// example begin: commit-address
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start(shared);
  if (one()) {
    product(base, shared.stage[0]);
    commit_at(fixed ? reinterpret_cast<std::uint64_t>(&shared.done)
                    : std::uint64_t{shared_address(&shared.done)});
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  finish(base);
}
// example end

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
