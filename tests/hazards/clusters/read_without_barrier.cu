// hazard: cluster-race
// Each block writes its shared memory and reads the other block's. __syncthreads() orders one block
// only; between blocks it takes barrier.cluster (programming guide, 'Distributed Shared Memory').
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
// example begin: cluster-race
__global__ void __cluster_dims__(2) exchange(int* out) {
  __shared__ std::uint32_t cells[64];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  cells[thread] = rank * 100 + thread;
  if constexpr (fixed)
    ptx::cluster_sync();
  else
    __syncthreads();
  out[rank * 64 + thread] = ptx::load_cluster(ptx::map_to(cells + 63 - thread, rank ^ 1));
  ptx::cluster_sync();  // nobody leaves while the other reads
}
// example end

template <bool fixed>
bool run() {
  hazard::Array<int> out(128);
  exchange<fixed><<<2, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (1 - i / 64) * 100 + 63 - i % 64; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
