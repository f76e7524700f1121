// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, bf16 in and out. The rungs differ
// in how many stages of shared memory lie between TMA and tcgen05, and how many blocks share them.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("tcgen05_tma_pipeline", size, lab::gemm_types("bf16"), lab::GemmB::nk);
}

const lab::TargetEntry entry{{
    .chapter = "ch09",
    .name = "tcgen05_tma_pipeline",
    .idea = "stages of shared memory under tcgen05 and tensor memory",
    .shows_nowhere = "the latency of memory, which more stages hide",
    .aliases = {},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{"", {8192, 8192, 2048}}},
    // Edges in every direction; six k-blocks of 64, more than a ring of four, and fewer than one.
    .quick = {{"", {264, 392, 328}}, {"", {136, 136, 40}}},
    .problem = problem,
}};

}  // namespace
