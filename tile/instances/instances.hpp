// What each instance exports: a function that appends its recipes. Calls, not static objects, so
// that a linker that takes only what is named takes all of them.
#pragma once

#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

void add_bf16_large(RecipeTable& table);
void add_bf16_ping_pong(RecipeTable& table);
void add_bf16_small(RecipeTable& table);
void add_bf16_few_rows(RecipeTable& table);
void add_bf16_majors(RecipeTable& table);
void add_bf16_to_f32(RecipeTable& table);
void add_f16(RecipeTable& table);
void add_f16_majors(RecipeTable& table);
void add_tf32(RecipeTable& table);
void add_e4m3(RecipeTable& table);
void add_e4m3_small(RecipeTable& table);
void add_fp8_pairs(RecipeTable& table);
void add_s8(RecipeTable& table);
void add_mixed(RecipeTable& table);
void add_umma_bf16(RecipeTable& table);
void add_umma_bf16_majors(RecipeTable& table);
void add_umma_bf16_to_f32(RecipeTable& table);
void add_umma_f16(RecipeTable& table);
void add_umma_tf32(RecipeTable& table);
void add_umma_fp8(RecipeTable& table);
void add_umma_s8(RecipeTable& table);
void add_umma_nvfp4(RecipeTable& table);
void add_umma_mx(RecipeTable& table);
void add_umma_mx_mixed(RecipeTable& table);
void add_multistage(RecipeTable& table);
void add_general_wide(RecipeTable& table);
void add_general_narrow(RecipeTable& table);
void add_general_e4m3(RecipeTable& table);

}  // namespace aisp::tile::device
