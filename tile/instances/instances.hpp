// What each instance exports: a function that appends its recipes. Calls, not static objects, so
// that a linker that takes only what is named takes all of them.
#pragma once

#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

void add_bf16_large(GemmTable& table);
void add_bf16_ping_pong(GemmTable& table);
void add_bf16_small(GemmTable& table);
void add_bf16_few_rows(GemmTable& table);
void add_bf16_majors(GemmTable& table);
void add_bf16_to_f32(GemmTable& table);
void add_f16(GemmTable& table);
void add_f16_majors(GemmTable& table);
void add_tf32(GemmTable& table);
void add_e4m3(GemmTable& table);
void add_e4m3_small(GemmTable& table);
void add_fp8_pairs(GemmTable& table);
void add_s8(GemmTable& table);
void add_mixed(GemmTable& table);
void add_fused_bf16(GemmTable& table);
void add_fused_f16(GemmTable& table);
void add_sm100_bf16(GemmTable& table);
void add_sm100_bf16_majors(GemmTable& table);
void add_sm100_bf16_to_f32(GemmTable& table);
void add_sm100_f16(GemmTable& table);
void add_sm100_tf32(GemmTable& table);
void add_sm100_fp8(GemmTable& table);
void add_sm100_s8(GemmTable& table);
void add_sm100_nvfp4(GemmTable& table);
void add_sm100_mx(GemmTable& table);
void add_sm100_mx_mixed(GemmTable& table);
void add_sm100_fused(GemmTable& table);
void add_multistage(GemmTable& table);
void add_multistage_fused(GemmTable& table);
void add_general_wide(GemmTable& table);
void add_general_narrow(GemmTable& table);
void add_general_e4m3(GemmTable& table);
void add_general_fused(GemmTable& table);

void add_grouped_sm90(GroupedTable& table);
void add_grouped_sm100(GroupedTable& table);
void add_block_scaled_sm90(BlockScaledTable& table);

}  // namespace aisp::tile::device
