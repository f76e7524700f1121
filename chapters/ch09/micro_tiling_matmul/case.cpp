// C = A * B in fp32, all row-major: how much each byte read is used again, rung by rung.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("micro_tiling_matmul", size, lab::gemm_types("fp32"), lab::GemmB::kn);
}

const lab::TargetEntry entry{{
    .chapter = "ch09",
    .name = "micro_tiling_matmul",
    .idea = "use each byte more often: shared-memory tiles, register micro-tiles, async copies",
    .shows_in = lab::Count::l2_bytes,
    .aliases = {},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{.variant = "", .dims = {4096, 4096, 4096}}},
    // Ragged tiles, and less than one of the last rung's.
    .quick = {{.variant = "", .dims = {150, 268, 52}}, {.variant = "", .dims = {100, 132, 64}}},
    .problem = problem,
}};

}  // namespace
