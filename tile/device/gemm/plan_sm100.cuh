// What a plan of a recipe for sm_100 has of its own: the kernel, and maps of block scales. Recipes
// compute whole tiles: there is no workspace.
#pragma once

#include "tile/device/gemm/plan.cuh"
#include "tile/kernel/gemm_sm100_single_role.cuh"

namespace aisp::tile::device {

// Boxes of `groups` x `row_blocks` blocks of scales.
inline CUtensorMap describe_scales(const Matrix& matrix, const ScaleExtent& extent,
                                   std::int64_t batch, int groups, int row_blocks) {
  constexpr cuuint64_t words = scale_block_bytes / 4;
  const auto along = static_cast<cuuint64_t>(extent.groups());
  CUtensorMap map;
  const CUresult result = encode_map(
      {.element = Element::s32,
       .data = matrix.scales,
       .rank = 3,
       .extent = {words, along, static_cast<cuuint64_t>(extent.row_blocks() * batch)},
       .stride = {scale_block_bytes, along * scale_block_bytes},
       .box = {words, static_cast<cuuint32_t>(groups), static_cast<cuuint32_t>(row_blocks)},
       .swizzle = SwizzleMode::none},
      map);
  if (result != CUDA_SUCCESS)
    base::refuse(base::Exit::usage, "no tensor map for the block scales of ", batch, " x ",
                 extent.rows, " x ", extent.k, " elements (CUresult ", static_cast<int>(result),
                 "): their address must be a multiple of 16 bytes");
  return map;
}

template <Sm100Config config>
Sm100Maps<config> scaled_operand_maps(const GemmProblem& p) {
  Sm100Maps<config> maps;
  static_cast<BatchMaps&>(maps) = operand_maps<config>(p);
  if constexpr (config.scaled()) {
    const ScaleExtent of_a{p.m, p.k, config.scaling}, of_b{p.n, p.k, config.scaling};
    maps.a_scales = describe_scales(p.a, of_a, p.batch, config.scale_groups(), 1);
    maps.b_scales =
        describe_scales(p.b, of_b, p.batch, config.scale_groups(), config.b_scale_blocks());
    maps.a_row_blocks = static_cast<int>(of_a.row_blocks());
    maps.b_row_blocks = static_cast<int>(of_b.row_blocks());
  }
  return maps;
}

template <Sm100Config config>
Sm100Output<config> scaled_output(const GemmProblem& p) {
  Sm100Output<config> out{};
  static_cast<BatchOutput&>(out) = batch_output<config>(p);
  if constexpr (config.out_scaling != Scaling::none) {
    out.scales = static_cast<std::uint8_t*>(const_cast<void*>(p.d.scales));
    out.scale_extent = {p.m, p.n, config.out_scaling};
    out.of_matrix = p.d.matrix_scale;
  }
  return out;
}

// The start of dynamic shared memory is rounded up to the swizzle's 1024 bytes.
template <class Recipe>
constexpr std::size_t sm100_shared_bytes = static_cast<std::size_t>(
    Recipe::config.reserved_bytes(static_cast<int>(sizeof(Sm100Shared<Recipe>)) + 1024));

template <class Recipe>
struct GemmKernel<Recipe, Sm100Config> {
  static constexpr Sm100Config config = Recipe::config;

  static Kernel<GemmParams<Recipe>> launch() {
    if constexpr (!sm100_keeps_rules<config>)
      return {};  // the compile has ended with the broken rule; a kernel would only add to its
                  // message
    else if constexpr (Recipe::MainLoop::loads_operands)
      return {gemm_sm100_single_role<Recipe>, sm100_single_role_threads,
              sm100_shared_bytes<Recipe>};
    else
      return {gemm_sm100<Recipe>, config.threads(), sm100_shared_bytes<Recipe>, config.blocks()};
  }
  static Sm100Maps<config> operands(const GemmProblem& problem) {
    return scaled_operand_maps<config>(problem);
  }
  static Sm100Output<config> output(const GemmProblem& problem) {
    return scaled_output<config>(problem);
  }
};

}  // namespace aisp::tile::device
