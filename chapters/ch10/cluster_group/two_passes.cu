// Every block leaves the sum of its part in global memory; a second kernel adds the eight of each
// row.
#include "chapters/ch10/common/reduction_two_passes.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch10::reduction_threads)
    cluster_group_first_pass(const float4* __restrict__ x, float* parts, int vectors) {
  ch10::first_pass(x, parts, vectors);
}

extern "C" __global__ void __launch_bounds__(ch10::reduction_threads)
    cluster_group_second_pass(const float4* parts, float* sums, int rows) {
  ch10::second_pass(parts, sums, rows);
}

namespace {

const lab::RungEntry entry{
    "ch10:cluster_group",
    {.name = "two_passes",
     .step = 0,
     .builds_on = "",
     .idea = "a sum per block to global memory, a second kernel adds the eight of each row",
     .look_at = "two launches; the second cannot start before the last block of the first ended",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .prepare = [](lab::Setup& setup) {
       return ch10::two_passes(setup, cluster_group_first_pass, cluster_group_second_pass);
     }}};

}  // namespace
