// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, bf16 in and out.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("matmul_tcgen05", size, lab::gemm_types("bf16"), lab::GemmB::nk);
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = "matmul_tcgen05",
    .idea = "the recipes of a Blackwell matrix product, one per rung",
    .shows_in = lab::Count::l2_bytes,
    .aliases = {{"tmem", ""}},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{"", {8192, 8192, 8192}}},
    // Edges in every direction; more tiles than eight multiprocessors hold at once, and more
    // k-blocks than a ring has stages.
    .quick = {{"", {520, 392, 136}}, {"", {136, 520, 424}}},
    .problem = problem,
}};

}  // namespace
