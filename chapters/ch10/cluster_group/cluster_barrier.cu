// The eight blocks of a row are a cluster: each writes its sum into the first one's shared memory,
// and a barrier of the cluster says that all are there.
#include "chapters/ch10/common/reduction.cuh"
#include "chapters/ch10/common/reduction_launch.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch10 {

// Into the same variable of another block of the cluster.
TILE_DEVICE void store_remote(float* variable, int block_rank, float value) {
  asm volatile(
      "st.shared::cluster.f32 [%0], %1;" ::"r"(tile::arch::remote_shared(variable, block_rank)),
      "f"(value)
      : "memory");
}

TILE_DEVICE void sum_by_barrier(const float4* __restrict__ x, float* sums, int vectors) {
  __shared__ float parts[reduction_parts];  // those of the first block are used
  // Another block's shared memory exists when that block has started: all say so at once, and the
  // wait comes after the loads.
  tile::arch::cluster_arrive_relaxed();
  const float sum = part_sum(x, vectors);
  const int rank = tile::arch::cluster_rank();
  tile::arch::cluster_wait();
  if (threadIdx.x == 0) store_remote(&parts[rank], 0, sum);
  tile::arch::cluster_arrive();
  if (rank != 0) return;
  tile::arch::cluster_wait();
  if (threadIdx.x == 0) sums[row_of_block()] = sum_of_parts(parts);
}

}  // namespace aisp::ch10

extern "C" __global__ void __launch_bounds__(ch10::reduction_threads)
    cluster_group_cluster_barrier(const float4* __restrict__ x, float* sums, int vectors) {
  if constexpr (ch10::has_clusters)
    ch10::sum_by_barrier(x, sums, vectors);
  else
    __trap();
}

namespace {

using namespace ch10;

void run(const lab::Launch& launch) {
  launch_rows(launch, cluster_group_cluster_barrier, true, "cluster_group cluster_barrier",
              launch.in<float4>(0), launch.out<float>(0), vectors_of(launch));
}

const lab::RungEntry entry{
    "ch10:cluster_group",
    {.name = "cluster_barrier",
     .step = 1,
     .builds_on = "two_passes",
     .idea = "eight blocks are a cluster: sums go to the first one's shared memory",
     .look_at = "one launch, no partial sums in global memory; a cluster barrier after the store",
     .needs = lab::Needs::sm_90,
     .peer = false,
     .variants = {},
     .prepare = lab::plain(run)}};

}  // namespace
