// C (M, N) = A (M, K) times the transpose of B (N, K), all row-major, in the types people run:
// both operands contiguous along K, which is the one layout that every type of the library takes.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("cublaslt_gemm", size, lab::gemm_types(size.variant), lab::GemmB::nk);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch09";
  target.name = "cublaslt_gemm";
  target.idea = "the vendor library with a search over its algorithms as yardstick";
  target.shows_nowhere = "cuBLASLt is machine code, which the simulator cannot run";
  target.aliases = {{"cublaslt_gemm_fp16", "fp16"}, {"cublaslt_gemm_fp8", "fp8"}};
  target.axes = {"M", "N", "K"};
  target.variants = {"bf16", "fp16", "fp32", "tf32", "fp8"};
  for (const auto& variant : target.variants) {
    target.full.push_back({variant, {4096, 4096, 8192}});
    target.quick.push_back({variant, {150, 144, 80}});
    target.quick.push_back({variant, {72, 272, 336}});  // rings of stages go round
  }
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
