// The roof of the matrix unit: C (M, N) = A (M, K) times the transpose of B (N, K), row-major, by
// the vendor's library. Random data: zeros draw less power and give a rate that no work reaches.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("roof:matrix", size, lab::gemm_types(size.variant), lab::GemmB::nk);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "roof";
  target.name = "matrix";
  target.idea = "operations per second of the matrix unit on random data";
  target.axes = {"M", "N", "K"};
  target.variants = {"bf16", "fp8", "tf32"};
  for (const auto& variant : target.variants) {
    // Large enough for the peak, small enough for a float64 reference of every element.
    target.full.push_back({variant, {8192, 8192, 4096}});
    target.quick.push_back({variant, {48, 64, 80}});
  }
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
