#include "tile/device/gemm/recipe_table.hpp"

#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

const RecipeTable& recipe_table() {
  static const RecipeTable table = [] {
    RecipeTable all;
    for (const auto add : {add_bf16_large,
                           add_bf16_ping_pong,
                           add_bf16_small,
                           add_bf16_few_rows,
                           add_bf16_majors,
                           add_bf16_to_f32,
                           add_f16,
                           add_f16_majors,
                           add_tf32,
                           add_e4m3,
                           add_e4m3_small,
                           add_fp8_pairs,
                           add_s8,
                           add_mixed,
                           add_umma_bf16,
                           add_umma_bf16_majors,
                           add_umma_bf16_to_f32,
                           add_umma_f16,
                           add_umma_tf32,
                           add_umma_fp8,
                           add_umma_s8,
                           add_umma_nvfp4,
                           add_umma_mx,
                           add_umma_mx_mixed,
                           add_multistage,
                           add_general_wide,
                           add_general_narrow,
                           add_general_e4m3})
      add(all);
    return all;
  }();
  return table;
}

}  // namespace aisp::tile::device
