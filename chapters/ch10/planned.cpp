// What chapter 10 will hold beside the targets in this folder.
#include "lab/case/planned.hpp"

using namespace aisp;

namespace {

const lab::PlannedEntry matmul_tcgen05{
    {.chapter = "ch10",
     .name = "matmul_tcgen05",
     .idea = "tcgen05 with one stage, then persistent with two accumulators in tensor memory",
     .aliases = {"tmem"},
     .waits = "needs sm_100a"}};

const lab::PlannedEntry tcgen05_warp_specialization{
    {.chapter = "ch10",
     .name = "tcgen05_warp_specialization",
     .idea = "one role for all warps, then warps that load, multiply and store",
     .aliases = {},
     .waits = "needs sm_100a"}};

const lab::PlannedEntry tcgen05_two_sm{
    {.chapter = "ch10",
     .name = "tcgen05_two_sm",
     .idea = "a tile of 128x128 on one SM, then 256x256 on a pair of SMs that shares operand B",
     .aliases = {"tcgen05_warp_specialization_cutlass", "warpgroup_specialization_demo"},
     .waits = "needs sm_100a"}};

}  // namespace
