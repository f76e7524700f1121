// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, bf16 in and out. The rungs differ
// in how many stages of shared memory lie between TMA and wgmma.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("wgmma_tma_pipeline", size, lab::gemm_types("bf16"), lab::GemmB::nk);
}

const lab::TargetEntry entry{{
    .chapter = "ch09",
    .name = "wgmma_tma_pipeline",
    .idea = "stages of shared memory hide the latency of the loads",
    .shows_nowhere = "the latency of memory, which more stages hide",
    .aliases = {{"tcgen05_pipelined", ""}},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{"", {8192, 8192, 2048}}},
    // Edges in every direction; six k-blocks of 64, more than a ring of four, and fewer than one.
    .quick = {{"", {264, 392, 328}}, {"", {136, 136, 40}}},
    .problem = problem,
}};

}  // namespace
