// hazard: early-exit
// also: memory-fault
// A block ends while its peer still reads its shared memory: the memory may be gone. Shared memory
// of a block must not be accessed after it has exited (programming guide, 'Distributed Shared
// Memory'); the last barrier.cluster is missing.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
// example begin: early-exit
__global__ void __cluster_dims__(2) exchange(int* out) {
  __shared__ std::uint32_t cells[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  cells[thread] = rank * 70 + thread;
  ptx::cluster_sync();
  out[rank * 32 + thread] = ptx::load_cluster(ptx::map_to(cells + 31 - thread, rank ^ 1));
  if constexpr (fixed) ptx::cluster_sync();
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  exchange<fixed><<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (1 - i / 32) * 70 + 31 - i % 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
