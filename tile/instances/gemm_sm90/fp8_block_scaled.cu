// e4m3 with factors for 1 x 128 of A and 128 x 128 of B, or coarser ones.
#include "tile/device/gemm/block_scaled.hpp"
#include "tile/instances/gemm_sm90/recipes.cuh"
#include "tile/instances/instances.hpp"
#include "tile/kernel/gemm_sm90_block_scaled.cuh"

namespace aisp::tile::device {
namespace {

constexpr Sm90Config config{.a = Element::e4m3,
                            .b = Element::e4m3,
                            .out = Element::bf16,
                            .tile_n = factor_block,
                            .tile_k = factor_block,
                            .stages = 6,
                            .promote = true};

struct BlockScaled128x128 : BlockScaledRecipe<config, Accumulator, Persistent> {
  static constexpr const char* name = "block_scaled_128x128";
};

using Params = BlockScaledParams<BlockScaled128x128>;

PlannedRun plan_it(const BlockScaledProblem& problem, const LaunchChoice& choice, const Allocate&) {
  const GemmProblem& product = problem.product;
  refuse_unless_taken(description_of(config), product);
  const Kernel<Params> kernel{gemm_block_scaled<BlockScaled128x128>, config.threads(),
                              shared_bytes<BlockScaled128x128>};
  Params params{};
  params.gemm.operands = operand_maps<config>(product);
  params.gemm.epilogue.out = batch_output<config>(product);
  params.columns.factors.data = problem.column_factors;
  params.columns.bias.data = ElementPointer<config.out>::untyped(problem.bias);
  params.gemm.schedule = Persistent::params(tiles_of<config>(product, choice.raster), {});
  params.a = {problem.a.data, problem.a.row_stride, problem.a.k_stride};
  params.b = {problem.b.data, problem.b.row_stride, problem.b.k_stride};
  const int blocks = Persistent::clusters(params.gemm.schedule, resident_clusters(kernel));
  return [params, kernel, blocks](cudaStream_t stream) { launch(kernel, params, blocks, stream); };
}

}  // namespace

void add_block_scaled_sm90(BlockScaledTable& table) {
  table.push_back({description_of_recipe<BlockScaled128x128>(BlockScaled128x128::name), plan_it});
}

}  // namespace aisp::tile::device
