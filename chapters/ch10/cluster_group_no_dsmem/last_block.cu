// The atomic counts instead of adding: a block leaves its sum in global memory and takes a number;
// who draws the last of the row adds all eight. Nothing is filled beforehand, and the order of the
// additions is the same in every run.
#include "chapters/ch10/common/reduction.cuh"
#include "chapters/ch10/common/reduction_launch.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch10 {

// What this thread wrote is there for whoever draws a later number, and the other way round.
TILE_DEVICE unsigned draw_number(unsigned* counter) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(counter))
               : "memory");
  return before;
}

}  // namespace aisp::ch10

extern "C" __global__ void __launch_bounds__(ch10::reduction_threads)
    cluster_group_no_dsmem_last_block(const float4* __restrict__ x, float* parts,
                                      unsigned* counters, float* sums, int vectors) {
  using namespace ch10;
  const float sum = part_sum(x, vectors);
  if (threadIdx.x != 0) return;
  const int row = row_of_block();
  parts[blockIdx.x] = sum;
  if (draw_number(counters + row) != reduction_parts - 1) return;
  sums[row] =
      sum_of_parts(reinterpret_cast<const float4*>(parts + std::int64_t{row} * reduction_parts));
  counters[row] = 0;  // as the next launch expects it
}

namespace {

using namespace ch10;

lab::Run prepare(lab::Setup& setup) {
  const bool clusters = launches_clusters();
  auto* parts = static_cast<float*>(setup.scratch(part_bytes(setup)));
  const auto bytes = static_cast<std::size_t>(setup.problem().size.dims.at(0)) * sizeof(unsigned);
  auto* counters = static_cast<unsigned*>(setup.kept(bytes, "the last block of a row leaves 0"));
  lab::check_cuda(cudaMemset(counters, 0, bytes), "counters = 0");
  // The fill is in the default stream, for which the rung's own does not wait.
  lab::check_cuda(cudaStreamSynchronize(nullptr), "counters = 0");
  return [=](const lab::Launch& launch) {
    launch_rows(launch, cluster_group_no_dsmem_last_block, clusters,
                "cluster_group_no_dsmem last_block", launch.in<float4>(0), parts, counters,
                launch.out<float>(0), vectors_of(launch));
  };
}

const lab::RungEntry entry{
    "ch10:cluster_group_no_dsmem",
    {.name = "last_block",
     .step = 2,
     .builds_on = "atomic_sum",
     .idea = "the atomic counts arrivals; the last block of a row adds its eight sums in order",
     .look_at = "one kernel and nothing else; ATOM with acquire and release once per block",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .prepare = prepare}};

}  // namespace
