// The kernel of Ampere for one pair of elements, from the tile library's parts: a ring that
// cp.async fills, fragments by ldmatrix, mma.sync warp by warp.
#pragma once

#include "chapters/ch09/cublaslt_gemm/mma_sync.hpp"
#include "lab/case/per_buffers.hpp"
#include "tile/device/gemm/plan_sm80.cuh"
#include "tile/schedule/single.hpp"

namespace aisp::ch09 {

// 8 warps of 64 x 64 accumulators; a line of a tile has 64 bytes along k, whatever the element. Of
// e4m3 that many would not fit into registers beside the fragments: 64 x 32.
constexpr tile::Sm80Config mma_sync_config(tile::Element element) {
  return {.tile_m = 128,
          .tile_n = element == tile::Element::e4m3 ? 128 : 256,
          .tile_k = 64 / tile::bytes_of(element),
          .stages = 4,
          .warps_m = 2,
          .warps_n = 4};
}

template <tile::Element in, tile::Element out>
struct MmaSyncRecipe
    : tile::Sm80Recipe<tile::MmaSync<in>, mma_sync_config(in),
                       tile::FragmentEpilogue<tile::Accumulator, out>, tile::SingleTile> {};

// Tiles are walked in groups of rows, so that blocks that run together share lines of L2.
template <tile::Element in, tile::Element out>
lab::Run run_mma_sync(lab::Setup& setup) {
  const auto& size = setup.problem().size.dims;
  tile::device::GemmProblem shape{.m = size.at(0), .n = size.at(1), .k = size.at(2)};
  shape.a = {.element = in, .stride = shape.k};
  shape.b = {.element = in, .stride = shape.k};
  shape.d = {.element = out, .stride = shape.n};
  return lab::per_buffers([shape, bind = tile::device::multistage_plan<MmaSyncRecipe<in, out>>(
                                      shape, {}, {})](const lab::Launch& launch) -> lab::Enqueue {
    tile::device::GemmProblem problem = shape;
    problem.a.data = launch.in<void>(0);
    problem.b.data = launch.in<void>(1);
    problem.d.data = launch.out<void>(0);
    return bind(problem);
  });
}

}  // namespace aisp::ch09
