#include "tile/device/gemm/fused.hpp"

#include "tile/instances/fused_plans.hpp"

namespace aisp::tile::device {
namespace {

using base::Exit;
using base::refuse;

void admit_fused(const GemmProblem& p) {
  admit_stated(p);
  const bool narrow = p.d.element == Element::bf16 || p.d.element == Element::f16;
  if (!narrow || p.a.element != p.d.element || p.b.element != p.d.element)
    refuse(Exit::usage, "gemm: a bias or an activation goes with bf16 -> bf16 or f16 -> f16: got ",
           name_of(p.a.element), " x ", name_of(p.b.element), " -> ", name_of(p.d.element));
  if (p.beta != 0 && p.c.element != p.d.element)
    refuse(Exit::usage, "gemm: C is ", name_of(p.c.element), " and D ", name_of(p.d.element),
           "; they must be the same where beta is not 0");
  if (p.batch > 1 && p.d.batch_stride == 0 && !is_empty(p))
    refuse(Exit::usage, "gemm: the ", p.batch,
           " matrices of D are the same one; give its batch_stride in elements");
}

}  // namespace

GemmPlan plan_gemm_fused(const GemmProblem& problem, const FusedEpilogue& epilogue,
                         const Allocate& allocate) {
  admit_fused(problem);
  const int architecture = current_machine().architecture;
  if (architecture < 80)
    refuse(Exit::environment, "gemm: its kernels are for sm_80 and later, this device is sm_",
           architecture);
  if (is_empty(problem)) return {{"nothing", {}}, {}};
  if (problem.k == 0)
    return {{"general_fused", {}}, plan_fused_general(without_products(problem), epilogue)};
  if (architecture / 10 == 9)
    if (GemmRun run = plan_fused_sm90(problem, epilogue, allocate))
      return {{"fused", {}}, std::move(run)};
  return {{"general_fused", {}}, plan_fused_general(problem, epilogue)};
}

}  // namespace aisp::tile::device
