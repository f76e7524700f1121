#include "tile/device/gemm/block_scaled.hpp"

#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {
namespace {

using base::Exit;
using base::refuse;

void admit_block_scaled(const BlockScaledProblem& p) {
  if (p.product.alpha != 1 || p.product.beta != 0 || p.product.batch != 1)
    refuse(Exit::usage,
           "gemm: a product with factors for blocks has alpha 1, beta 0 and batch 1: got ",
           p.product.alpha, ", ", p.product.beta, " and ", p.product.batch);
  if (p.product.has_epilogue())
    refuse(Exit::usage,
           "gemm: with factors for blocks the bias is BlockScaledProblem::bias, and "
           "there is no activation");
  if (is_empty(p.product) || p.product.k == 0) return admit_stated(p.product);
  if (p.a.data == nullptr || p.b.data == nullptr)
    refuse(Exit::usage, "gemm: factors of ", p.a.data == nullptr ? "A" : "B",
           " are missing; give one f32 for every 128 of k, or one for all");
  admit(p.product);
}

// The bias alone; no factor is looked at.
Plan plan_without_products(const BlockScaledProblem& problem) {
  GemmProblem product = without_products(problem.product);
  product.a.element = product.b.element = product.d.element;
  product.bias.data = problem.bias;
  return plan_gemm(product);
}

}  // namespace

Plan plan_gemm_block_scaled(const BlockScaledProblem& problem) {
  const Machine machine = current_machine();
  if (machine.architecture / 10 != 9)
    refuse(Exit::environment,
           "gemm: factors for blocks of fp8 operands need sm_90, this device is sm_",
           machine.architecture);
  admit_block_scaled(problem);
  const GemmProblem& product = problem.product;
  if (is_empty(product)) return nothing_to_run();
  if (product.k == 0) return plan_without_products(problem);
  static const auto kernels = descriptions_of(block_scaled_table());
  const Choice choice =
      choose(kernels, machine, [&](const KernelDescription& kernel) -> std::optional<AsGemm> {
        if (!tma_kernel_refuses(kernel, product).empty()) return std::nullopt;
        return AsGemm{.gemm = product};
      });
  for (const auto& recipe : block_scaled_table())
    if (recipe.kernel.name == choice.recipe)
      return {choice, recipe.plan(problem, choice.launch, {})};
  refuse(Exit::usage, "gemm: ", tma_kernel_refuses(kernels.front(), product));
}

}  // namespace aisp::tile::device
