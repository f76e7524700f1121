// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, bf16 in and out. The rungs differ
// in who fetches the tiles: every block its own, or one block of a cluster for all.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("cluster_multicast", size, lab::gemm_types("bf16"), lab::GemmB::nk);
}

const lab::TargetEntry entry{{
    .chapter = "ch10",
    .name = "cluster_multicast",
    .idea = "a tile that several blocks need crosses L2 once",
    .shows_in = lab::Count::l2_bytes,
    .aliases = {},
    .axes = {"M", "N", "K"},
    .variants = {""},
    .full = {{"", {8192, 8192, 8192}}},
    // Tiles that do not fill the last clusters of two along M and along N.
    .quick = {{"", {264, 392, 328}}, {"", {392, 648, 136}}},
    .problem = problem,
}};

}  // namespace
