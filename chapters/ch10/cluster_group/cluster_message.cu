// The sum travels as a message that counts its own bytes at an mbarrier of the first block: seven
// blocks leave as soon as they have sent theirs, and only the receiver waits.
#include "chapters/ch10/common/reduction.cuh"
#include "chapters/ch10/common/reduction_launch.hpp"
#include "lab/case/registry.hpp"
#include "tile/arch/mbarrier.cuh"

using namespace aisp;

namespace aisp::ch10 {

struct Inbox {
  tile::arch::MBarrier full;
  float parts[reduction_parts];
};

// One value into the inbox of another block; its barrier counts the four bytes when they are there.
TILE_DEVICE void send(Inbox& inbox, int part, int block_rank, float value) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                   tile::arch::remote_shared(&inbox.parts[part], block_rank)),
               "f"(value), "r"(tile::arch::remote_shared(&inbox.full, block_rank))
               : "memory");
}

TILE_DEVICE void sum_by_message(const float4* __restrict__ x, float* sums, int vectors) {
  using namespace tile::arch;
  __shared__ Inbox inbox;  // that of the first block is used
  const int rank = cluster_rank();
  if (rank == 0 && threadIdx.x == 0) {
    mbarrier_init(&inbox.full, 1);
    fence_mbarrier_init();
    mbarrier_arrive_expect(&inbox.full, sizeof inbox.parts);
  }
  // Messages may be sent once the inbox is ready: all meet, and the wait comes after the loads.
  cluster_arrive();
  const float sum = part_sum(x, vectors);
  cluster_wait();
  if (threadIdx.x != 0) return;
  send(inbox, rank, 0, sum);
  if (rank != 0) return;
  mbarrier_wait_cluster(&inbox.full, 0);
  sums[row_of_block()] = sum_of_parts(inbox.parts);
}

}  // namespace aisp::ch10

extern "C" __global__ void __launch_bounds__(ch10::reduction_threads)
    cluster_group_cluster_message(const float4* __restrict__ x, float* sums, int vectors) {
  if constexpr (ch10::has_clusters)
    ch10::sum_by_message(x, sums, vectors);
  else
    __trap();
}

namespace {

using namespace ch10;

void run(const lab::Launch& launch) {
  launch_rows(launch, cluster_group_cluster_message, true, "cluster_group cluster_message",
              launch.in<float4>(0), launch.out<float>(0), vectors_of(launch));
}

const lab::RungEntry entry{
    "ch10:cluster_group",
    {.name = "cluster_message",
     .step = 2,
     .builds_on = "cluster_barrier",
     .idea = "a sum is a message that an mbarrier counts: senders do not wait",
     .look_at = "st.async; seven of eight blocks end without a second barrier",
     .needs = lab::Needs::sm_90,
     .peer = false,
     .variants = {},
     .prepare = lab::plain(run)}};

}  // namespace
