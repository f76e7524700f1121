// The same NVFP4 products as nvfp4_gemm. The rungs differ in who decides how they are cut and
// scheduled: the library's rule, or the caller.
#include "chapters/ch09/common/nvfp4_problem.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) { return ch09::nvfp4::problem("nvfp4_schedule", size); }

const lab::TargetEntry entry{{
    .chapter = "ch09",
    .name = "nvfp4_schedule",
    .idea = "block-scaled fp4: the library's own schedule against an explicit one on one SM",
    .shows_nowhere = "who waits for whom, which no count has",
    .aliases = {{"cutlass_gemm_fp4", ""}},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = ch09::nvfp4::full,
    .quick = ch09::nvfp4::quick,
    .problem = problem,
}};

}  // namespace
