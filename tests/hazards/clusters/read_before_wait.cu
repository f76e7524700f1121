// hazard: cluster-race
// The two halves of the cluster barrier are split so that work can be done in between; the read of
// the other block's data has slipped in between too. Only the wait acquires.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void __cluster_dims__(2) exchange(int* out) {
  __shared__ std::uint32_t cells[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  cells[thread] = rank * 60 + thread;
  ptx::cluster_arrive();
  const std::uint32_t peer = ptx::map_to(cells + 31 - thread, rank ^ 1);
  if constexpr (fixed) ptx::cluster_wait();
  const std::uint32_t seen = ptx::load_cluster(peer);
  if constexpr (!fixed) ptx::cluster_wait();
  out[rank * 32 + thread] = seen;
  ptx::cluster_sync();
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  exchange<fixed><<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (1 - i / 32) * 60 + 31 - i % 32; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
