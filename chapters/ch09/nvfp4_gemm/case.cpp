// An NVFP4 product with few rows. The rungs differ in who loads, multiplies and stores.
#include "chapters/ch09/common/nvfp4_problem.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) { return ch09::nvfp4::problem("nvfp4_gemm", size); }

const lab::TargetEntry entry{{
    .chapter = "ch09",
    .name = "nvfp4_gemm",
    .idea = "block-scaled fp4: one warp does all, then warps that load, multiply and store",
    .shows_nowhere = "products that run while a tile is stored, which no count has",
    .aliases = {{"cute_dsl_nvfp4_gemm", ""}},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = ch09::nvfp4::full,
    .quick = ch09::nvfp4::quick,
    .problem = problem,
}};

}  // namespace
