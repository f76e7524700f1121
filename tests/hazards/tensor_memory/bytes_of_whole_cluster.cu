// hazard: mbarrier-transactions, deadlock
// also: mbarrier-phase
// options: --device b200,sms=4
// The leader expects the bytes of all four blocks of the cluster where those of its pair
// arrive.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  prepare(shared);
  cluster_sync();
  const std::uint32_t barrier = of_leader(shared_address(&shared.done));
  constexpr int bytes = 512;
  if (one()) {
    if ((cluster_rank() & 1) == 0)
      barrier_expect(shared_address(&shared.done), (fixed ? 2 : 4) * bytes);
    asm volatile(
        "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(barrier),
        "r"(bytes)
        : "memory");
  }
  if ((cluster_rank() & 1) == 0) wait_done(shared);
  cluster_sync();
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 4);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
