// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, bf16 in and out.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("tcgen05_warp_specialization", size, lab::gemm_types("bf16"),
                           lab::GemmB::nk);
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = "tcgen05_warp_specialization",
    .idea = "one role for all warps, then warps that load, multiply and store",
    .shows_nowhere = "waits that other warps no longer share",
    .aliases = {},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{"", {8192, 8192, 8192}}},
    // Edges in every direction, more tiles than multiprocessors, more k-blocks than stages.
    .quick = {{"", {400, 392, 328}}, {"", {136, 264, 40}}},
    .problem = problem,
}};

}  // namespace
