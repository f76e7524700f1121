// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, bf16 in and out.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("tcgen05_two_sm", size, lab::gemm_types("bf16"), lab::GemmB::nk);
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = "tcgen05_two_sm",
    .idea = "a tile of 128x128 on one multiprocessor, then 256x256 on a pair that shares operand B",
    .shows_in = lab::Count::l2_bytes,
    .aliases = {{"tcgen05_warp_specialization_cutlass", ""}, {"warpgroup_specialization_demo", ""}},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{"", {16384, 16384, 2048}}},
    // Edges in every direction: rows that a pair's second block has none or some of.
    .quick = {{"", {392, 392, 200}}, {"", {264, 520, 72}}},
    .problem = problem,
}};

}  // namespace
