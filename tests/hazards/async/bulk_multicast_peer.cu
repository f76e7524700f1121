// hazard: bulk-wait, cluster-race, shared-race, mbarrier-phase, mbarrier-transactions, deadlock
// Block 0 loads into both blocks of the cluster and waits only for its own readers before it loads
// again: the peer may still read. The empty barriers of all receiving blocks must be waited for.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32, rounds = 4, bytes = count * sizeof(int);

template <bool fixed>
__global__ void __cluster_dims__(2) broadcast(const int* in, int* out) {
  __shared__ alignas(128) int slot[count];
  __shared__ std::uint64_t full, empty[2];  // block 0's `empty` of each reading block
  const int rank = ptx::cluster_rank(), lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 1);
    for (auto& barrier : empty) ptx::mbarrier_init(&barrier, count);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&full, bytes);
  }
  ptx::cluster_sync();
  if (rank == 0 && threadIdx.x == 32) {
    for (int i = 0; i < rounds; ++i) {
      ptx::mbarrier_wait_cluster(&empty[0], ~i & 1);
      if (fixed) ptx::mbarrier_wait_cluster(&empty[1], ~i & 1);
      ptx::bulk_load_to(slot, in + i * count, bytes, &full, 3);
    }
  } else if (threadIdx.x < 32) {
    for (int i = 0; i < rounds; ++i) {
      ptx::mbarrier_wait_cluster(&full, i & 1);
      out[(rank * rounds + i) * count + lane] = slot[lane];
      if (lane == 0 && i + 1 < rounds) ptx::mbarrier_arrive_expect(&full, bytes);
      ptx::mbarrier_arrive_cluster(ptx::map_to(&empty[rank], 0));
    }
  }
  __syncwarp();
  ptx::cluster_sync();  // nobody leaves while the other writes or arrives here
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(rounds * count)), out(2 * rounds * count);
  broadcast<fixed><<<2, 64>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(i % (rounds * count)); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
