// hazard: early-exit
// also: memory-fault
// Block 1 sends its result into block 0's shared memory, and block 0 does not stay for it: it ends
// after the first cluster barrier, and the store meets memory that may belong to another block.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void __cluster_dims__(2) send(int* out) {
  __shared__ std::uint32_t inbox[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  ptx::cluster_sync();
  if (rank == 1) ptx::store_cluster(ptx::map_to(inbox + thread, 0), thread * 11);
  if constexpr (fixed) ptx::cluster_sync();
  if (rank == 0) out[thread] = fixed ? inbox[thread] : 0;
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  send<fixed><<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i * 11; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
