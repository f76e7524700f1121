// hazard: cluster-race
// Every turn each block pushes a row into the other's buffer, a cluster barrier, and the row is
// read. The barrier that keeps the next turn's push away from a buffer still being read is missing.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int turns = 4;

template <bool fixed>
__global__ void __cluster_dims__(2) push(int* out) {
  __shared__ std::uint32_t row[32];
  const std::uint32_t thread = threadIdx.x, rank = ptx::cluster_rank();
  const std::uint32_t peer = ptx::map_to(row + thread, rank ^ 1);
  std::uint32_t sum = 0;
  ptx::cluster_sync();
  for (int turn = 0; turn < turns; ++turn) {
    ptx::store_cluster(peer, (rank + 1) * thread + turn);
    ptx::cluster_sync();
    sum += row[31 - thread];
    if constexpr (fixed) ptx::cluster_sync();
  }
  out[rank * 32 + thread] = sum;
  ptx::cluster_sync();
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(64);
  push<fixed><<<2, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return turns * (2 - i / 32) * (31 - i % 32) + 6; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
