// hazard: cluster-race
// barrier.cluster.arrive.relaxed brings the threads together but orders no memory: what was written
// before it need not be visible behind the wait (PTX: barrier.cluster, '.relaxed').
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void __cluster_dims__(2) exchange(int* out) {
  __shared__ std::uint32_t cells[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  cells[thread] = rank * 50 + thread;
  fixed ? ptx::cluster_arrive() : ptx::cluster_arrive_relaxed();
  ptx::cluster_wait();
  out[rank * 32 + thread] = ptx::load_cluster(ptx::map_to(cells + 31 - thread, rank ^ 1));
  ptx::cluster_sync();
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  exchange<fixed><<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (1 - i / 32) * 50 + 31 - i % 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
