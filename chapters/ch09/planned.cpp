// What chapter 9 will hold beside the targets in this folder.
#include "lab/case/planned.hpp"

using namespace aisp;

namespace {

const lab::PlannedEntry nvfp4_gemm{
    {.chapter = "ch09",
     .name = "nvfp4_gemm",
     .idea = "block-scaled fp4: one warp does all, then warps that load, multiply and store",
     .aliases = {"cute_dsl_nvfp4_gemm"},
     .waits = "needs sm_100a"}};

const lab::PlannedEntry nvfp4_schedule{
    {.chapter = "ch09",
     .name = "nvfp4_schedule",
     .idea = "block-scaled fp4: the library's own schedule against an explicit one on one SM",
     .aliases = {"cutlass_gemm_fp4"},
     .waits = "needs sm_100a"}};

}  // namespace
