#include "tile/device/gemm/recipe_table.hpp"

#include "tile/instances/instances.hpp"

namespace aisp::tile::device {
namespace {

template <class Problem, class... Add>
RecipeTable<Problem> table_of(const Add&... add) {
  RecipeTable<Problem> all;
  (add(all), ...);
  return all;
}

}  // namespace

const GemmTable& gemm_table() {
  static const GemmTable table = table_of<GemmProblem>(
      add_bf16_large, add_bf16_ping_pong, add_bf16_small, add_bf16_few_rows, add_bf16_majors,
      add_bf16_to_f32, add_f16, add_f16_majors, add_tf32, add_e4m3, add_e4m3_small, add_fp8_pairs,
      add_s8, add_mixed, add_fused_bf16, add_fused_f16, add_sm100_bf16, add_sm100_bf16_majors,
      add_sm100_bf16_to_f32, add_sm100_f16, add_sm100_tf32, add_sm100_fp8, add_sm100_s8,
      add_sm100_nvfp4, add_sm100_mx, add_sm100_mx_mixed, add_sm100_fused, add_multistage,
      add_multistage_fused, add_general_wide, add_general_narrow, add_general_e4m3,
      add_general_fused);
  return table;
}

const GroupedTable& grouped_table() {
  static const GroupedTable table = table_of<GemmGroups>(add_grouped_sm90, add_grouped_sm100);
  return table;
}

const BlockScaledTable& block_scaled_table() {
  static const BlockScaledTable table = table_of<BlockScaledProblem>(add_block_scaled_sm90);
  return table;
}

}  // namespace aisp::tile::device
