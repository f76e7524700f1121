// One launch: every block adds its sum to the row's with an atomic. The sums have to be zero before
// the kernel starts, which is a fill ahead of it in the stream; the order of the eight additions is
// that of arrival, so the last bits may differ from run to run.
#include "chapters/ch10/common/reduction.cuh"
#include "chapters/ch10/common/reduction_launch.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch10::reduction_threads)
    cluster_group_no_dsmem_atomic_sum(const float4* __restrict__ x, float* sums, int vectors) {
  const float sum = ch10::part_sum(x, vectors);
  if (threadIdx.x == 0) atomicAdd(sums + ch10::row_of_block(), sum);
}

namespace {

using namespace ch10;

lab::Run prepare(lab::Setup&) {
  const bool clusters = launches_clusters();
  return [clusters](const lab::Launch& launch) {
    const auto bytes = static_cast<std::size_t>(rows_of(launch)) * sizeof(float);
    lab::check_cuda(cudaMemsetAsync(launch.out<float>(0), 0, bytes, launch.stream), "sums = 0");
    launch_rows(launch, cluster_group_no_dsmem_atomic_sum, clusters,
                "cluster_group_no_dsmem atomic_sum", launch.in<float4>(0), launch.out<float>(0),
                vectors_of(launch));
  };
}

const lab::RungEntry entry{
    "ch10:cluster_group_no_dsmem",
    {.name = "atomic_sum",
     .step = 1,
     .builds_on = "two_passes",
     .idea = "one atomic addition per block; a fill with zeros instead of the second pass",
     .look_at = "RED.ADD.F32 once per block; a fill and one kernel, a cluster launch from sm_90 on",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .prepare = prepare}};

}  // namespace
