// e4m3 with factors for 1 x 128 of A and 128 x 128 of B, or coarser ones.
#include "tile/device/gemm/block_scaled.hpp"
#include "tile/device/gemm/fused.hpp"
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/kernel/block_scaled.cuh"

namespace aisp::tile::device {
namespace {

constexpr GemmConfig config{.a = Element::e4m3,
                            .b = Element::e4m3,
                            .out = Element::bf16,
                            .tile_n = factor_block,
                            .tile_k = factor_block,
                            .stages = 6,
                            .promote = true};

struct BlockScaled128x128 : BlockScaledRecipe<config, Accumulator, Persistent> {};

using Params = BlockScaledParams<BlockScaled128x128>;

Kernel<Params> kernel() {
  return {gemm_block_scaled<BlockScaled128x128>, config.threads(),
          shared_bytes<BlockScaled128x128>};
}

void admit_block_scaled(const BlockScaledProblem& p) {
  if (const int architecture = current_machine().architecture; architecture / 10 != 9)
    base::refuse(base::Exit::environment,
                 "gemm: factors for blocks of fp8 operands need sm_90, this device is sm_",
                 architecture);
  if (p.product.alpha != 1 || p.product.beta != 0 || p.product.batch != 1)
    base::refuse(base::Exit::usage,
                 "gemm: a product with factors for blocks has alpha 1, beta 0 and batch 1: got ",
                 p.product.alpha, ", ", p.product.beta, " and ", p.product.batch);
  if (is_empty(p.product) || p.product.k == 0) return admit_stated(p.product);
  if (p.a.data == nullptr || p.b.data == nullptr)
    base::refuse(base::Exit::usage, "gemm: factors of ", p.a.data == nullptr ? "A" : "B",
                 " are missing; give one f32 for every 128 of k, or one for all");
  refuse_unless_taken<config>(p.product);
}

// The bias alone; no factor is looked at.
GemmPlan plan_without_products(const BlockScaledProblem& problem) {
  GemmProblem product = without_products(problem.product);
  product.a.element = product.b.element = product.d.element;
  return plan_gemm_fused(product, {.bias = problem.bias});
}

}  // namespace

GemmPlan plan_gemm_block_scaled(const BlockScaledProblem& problem) {
  admit_block_scaled(problem);
  const GemmProblem& product = problem.product;
  if (is_empty(product)) return {{"nothing", {}}, {}};
  if (product.k == 0) return plan_without_products(problem);
  const int fit = resident_clusters(kernel());
  Params params{};
  params.gemm.operands = operand_maps<config>(product);
  params.gemm.epilogue.out = output_of<config>(product);
  params.columns.factors.data = problem.column_factors;
  params.columns.bias.data = ElementPointer<config.out>::untyped(problem.bias);
  const Raster raster =
      detail::square_waves(config, detail::grid_of(config, product), std::max(1, fit));
  params.gemm.schedule = Persistent::params(tiles_of<config>(product, raster), {});
  params.a = {problem.a.data, problem.a.row_stride, problem.a.k_stride};
  params.b = {problem.b.data, problem.b.row_stride, problem.b.k_stride};
  const int blocks = Persistent::clusters(params.gemm.schedule, fit);
  return {{"block_scaled_128x128", {}},
          [params, blocks](cudaStream_t stream) { launch(kernel(), params, blocks, stream); }};
}

}  // namespace aisp::tile::device
