// From a problem to a launch of one Blackwell recipe, as plan.cuh for Hopper's.
#pragma once

#include "tile/device/gemm/plan_parts.hpp"
#include "tile/device/gemm/tree_of_problem.hpp"
#include "tile/device/launch/launch.cuh"
#include "tile/kernel/umma_single_role.cuh"
#include "tile/schedule/persistent.hpp"
#include "tile/schedule/single.hpp"

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

// Two e2m1 in a byte are one element of the copy.
template <UmmaConfig config>
MatrixInMemory umma_in_memory(const Matrix& matrix, std::int64_t rows, const GemmProblem& p) {
  MatrixInMemory found = in_memory(matrix, rows, p.k, p.batch);
  if (config.packs()) {
    found.contiguous = (found.contiguous + 1) / 2;
    found.line_stride /= 2;
    found.batch_stride /= 2;
  }
  return found;
}

template <UmmaConfig config>
UmmaMaps<config> umma_operand_maps(const GemmProblem& p) {
  constexpr OperandTile a = config.a_tile(), b = config.b_tile();
  UmmaMaps<config> maps;
  maps.a = describe(umma_in_memory<config>(p.a, p.m, p), a, a.lines() / config.cluster_n);
  maps.b = describe(umma_in_memory<config>(p.b, p.n, p), b, b.lines() / config.cluster_m);
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

// One map for each width that the epilogue's subtiles have.
template <UmmaConfig config>
void describe_umma_output(CUtensorMap (&maps)[4], const MatrixInMemory& out) {
  for (int first = 0; first < config.part(0).columns; first += config.subtile(first).k) {
    const OperandTile subtile = config.subtile(first);
    maps[map_number(config.described(), subtile)] = describe(out, subtile, subtile.lines());
  }
}

template <UmmaConfig config>
UmmaOutput<config> umma_output(const GemmProblem& p) {
  UmmaOutput<config> out{};
  if (config.store == Store::tma)
    describe_umma_output<config>(out.maps, in_memory(p.d, p.m, p.n, p.batch));
  out.data = const_cast<void*>(p.d.data);
  out.stride = p.d.stride;
  out.batch_stride = p.d.batch_stride;
  out.extent = {static_cast<int>(p.m), static_cast<int>(p.n)};
  if constexpr (config.out_scaling != Scaling::none) {
    out.scales = static_cast<std::uint8_t*>(const_cast<void*>(p.d.scales));
    out.scale_extent = {p.m, p.n, config.out_scaling};
    out.of_matrix = p.d.matrix_scale;
  }
  return out;
}

// The start of dynamic shared memory is rounded up to the swizzle's 1024 bytes.
template <class Recipe>
constexpr std::size_t umma_shared_bytes = static_cast<std::size_t>(
    Recipe::config.reserved_bytes(static_cast<int>(sizeof(UmmaShared<Recipe>)) + 1024));

template <class Recipe>
Kernel<UmmaParams<Recipe>> umma_kernel() {
  if constexpr (!umma_keeps_rules<Recipe::config>)
    return {};  // the compile has ended with the broken rule; a kernel would only add to its
                // message
  else if constexpr (Recipe::MainLoop::loads_operands)
    return {gemm_umma_single_role<Recipe>, umma_single_role_threads, umma_shared_bytes<Recipe>};
  else
    return {gemm_umma<Recipe>, Recipe::config.threads(), umma_shared_bytes<Recipe>,
            Recipe::config.blocks()};
}

// Everything but where the matrices lie.
template <class Recipe>
GemmBind umma_shape_plan(const GemmProblem& shape, const typename Recipe::Tree::Params& tree = {},
                         const LaunchChoice& choice = {}) {
  using Schedule = typename Recipe::Schedule;
  const auto schedule = Schedule::params(tiles_of<Recipe::config>(shape, choice.raster), choice);
  const int clusters = Schedule::clusters(schedule, resident_clusters(umma_kernel<Recipe>()));
  return [schedule, clusters, tree](const GemmProblem& problem) -> GemmRun {
    constexpr UmmaConfig config = Recipe::config;
    refuse_unless_taken<config.described()>(problem);
    UmmaParams<Recipe> params{
        .operands = umma_operand_maps<config>(problem),
        .epilogue = {.tree = tree_of_problem<typename Recipe::Tree>(problem, tree),
                     .out = umma_output<config>(problem)},
        .schedule = schedule};
    return [params, clusters](cudaStream_t stream) {
      launch(umma_kernel<Recipe>(), params, clusters, stream);
    };
  };
}

// A plan for these matrices. The recipe has whole tiles: there is no workspace.
template <class Recipe>
GemmRun umma_plan(const GemmProblem& problem, const typename Recipe::Tree::Params& tree = {},
                  const LaunchChoice& choice = {}) {
  refuse_unless_taken<Recipe::config.described()>(problem);
  return umma_shape_plan<Recipe>(problem, tree, choice)(problem);
}

}  // namespace aisp::tile::device
