// hazard: deadlock
// also: tensor-race, tensor-commit, mbarrier-phase, mbarrier-arrivals
// options: --device b200,sms=4
// In a cluster of four the mask of the commit names blocks 0 and 1 for every pair: the second
// pair waits for ever.
#include "tests/hazards/tensor_memory/tensor.cuh"

namespace {

using namespace tensor;

template <bool fixed>
__global__ void use(float* out) {
  __shared__ Shared shared;
  const std::uint32_t base = start_pair(shared);
  const std::uint32_t leader = cluster_rank() & ~1u;
  if (cluster_rank() == leader && one()) {
    product<2>(base, shared.stage[0]);
    const auto mask = static_cast<std::uint16_t>(3 << (fixed ? leader : 0));
    asm volatile(
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
        " [%0], %1;" ::"r"(shared_address(&shared.done)),
        "h"(mask)
        : "memory");
  }
  wait_done(shared);
  const Row row = load(base);
  wait_loads();
  put(out, row);
  cluster_sync();
  if (warp() == 0) free_columns<2>(base);
  cluster_sync();
}

template <bool fixed>
bool run_side() {
  return run(use<fixed>, sum, 4);
}

const hazard::Program program(__FILE__, run_side<false>, run_side<true>);

}  // namespace
