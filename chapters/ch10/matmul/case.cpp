// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, bf16 in and out: the product that
// the Hopper ladder climbs, both operands contiguous along K.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("matmul", size, lab::gemm_types("bf16"), lab::GemmB::nk);
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = "matmul",
    .idea = "the recipes of a Hopper matrix product, one per rung, against cuBLASLt",
    .shows_in = lab::Count::instructions,
    .aliases = {},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{"", {8192, 8192, 8192}}, {"", {4096, 4096, 4096}}},
    // Edges in every direction. Ten tiles of 128x256, more than eight multiprocessors hold at once;
    // then three tiles of two blocks, which four or more blocks split along K, and seven k-blocks
    // of 64, more than a ring of four.
    .quick = {{"", {520, 392, 136}}, {"", {136, 520, 424}}},
    .problem = problem,
}};

}  // namespace
