// C = A * B in fp32 without the matrix unit, all row-major: the same tile in every rung, only its
// buffers change.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("double_buffered_pipeline", size, lab::gemm_types("fp32"),
                           lab::GemmB::kn);
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = "double_buffered_pipeline",
    .idea = "the next tile is fetched while this one is multiplied",
    .shows_nowhere = "the latency of memory, which a second buffer hides",
    .aliases = {},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{"", {4096, 4096, 4096}}},
    // Edges in every direction, and a K of several tiles of 8, 16 or 32.
    .quick = {{"", {150, 268, 116}}, {"", {64, 64, 64}}},
    .problem = problem,
}};

}  // namespace
