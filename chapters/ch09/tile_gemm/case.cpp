// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, built from the tile library: the
// rungs differ in the atom, FMAs of single threads or the matrix unit.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("tile_gemm", size, lab::gemm_types(size.variant), lab::GemmB::nk);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "tile_gemm";
  target.idea = "the matrix unit instead of FMAs, all else equal";
  target.shows_in = lab::Count::instructions;
  target.aliases = {
      {"cutlass_gemm", ""}, {"cutlass_gemm_fp16", "fp16"}, {"cutlass_gemm_fp8", "fp8"}};
  target.axes = {"M", "N", "K"};
  target.variants = {"tf32", "bf16", "fp16", "fp8"};
  for (const auto& variant : target.variants) {
    target.full.push_back({variant, {4096, 4096, 4096}});
    target.quick.push_back({variant, {264, 272, 208}});
  }
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
