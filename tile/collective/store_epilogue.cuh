// The collective epilogue: a math warpgroup sends its sums through a tree of operations and on to
// global memory, either straight from registers or by way of swizzled staging and the copy engine.
#pragma once

#include "tile/collective/output.cuh"
#include "tile/collective/patch_memory.hpp"
#include "tile/collective/shared_operands.cuh"
#include "tile/collective/staging.cuh"

namespace tile {

template <GemmConfig config, EpilogueNode Tree, class Output = BatchOutput>
class StoreEpilogue {
 public:
  struct Params {
    typename Tree::Params tree{};
    Output out{};
  };
  using Value = typename Sums<config>::Value;
  using Shared = std::conditional_t<config.store == Store::tma, StagingBuffers<config>, NoStaging>;

  TILE_DEVICE StoreEpilogue(Shared& shared, const Params& params, int warpgroup)
      : params_(params), staging_(shared, warpgroup) {}

  // The sums of `tile`'s rows from `first_row` on.
  TILE_DEVICE void store(const Sums<config>& sums, const BlockTile& tile, int first_row) {
    const Extent extent = params_.out.enter(tile.batch);
    if constexpr (ReducibleNode<Tree>)
      if (Tree::reduces(params_.tree, state_))
        return store_through<typename Tree::Reduced>(sums, tile, first_row, extent);
    store_through<Tree>(sums, tile, first_row, extent);
  }

  // Four sums of a thread, straight to memory.
  TILE_DEVICE void store_patch_of(const Patch<Value>& sums, int half, int patch,
                                  const BlockTile& tile, int first_row) {
    const Place place =
        place_of({tile.row + first_row + half * 64, tile.column, tile.batch}, patch);
    const Extent extent = params_.out.enter(tile.batch);
    store_patch<config.out>(params_.out.data, params_.out.stride, params_.out.batch_stride,
                            Tree::visit(params_.tree, state_, sums, place, extent), place, extent);
  }

  // After the last tile: the staging may not vanish before the copy engine has read it.
  TILE_DEVICE void finish() {
    staging_.drain();
    Tree::finish(params_.tree, state_);
  }

 private:
  using HalfSums = const Value (&)[config.tile_n / 2];

  template <class Node>
  TILE_DEVICE void store_through(const Sums<config>& sums, const BlockTile& tile, int first_row,
                                 Extent extent) {
#pragma unroll
    for (int half = 0; half < Sums<config>::halves; ++half) {
      const Place corner{tile.row + first_row + half * 64, tile.column, tile.batch};
      if constexpr (config.store == Store::tma)
        store_pieces<Node, 0>(sums.of[half], corner, extent);
      else
        store_direct<Node>(sums.of[half], corner, extent);
    }
  }

  TILE_DEVICE static Place place_of(Place corner, int patch) {
    return {corner.row + warp_row() + lane() / 4, corner.column + patch * 8 + lane() % 4 * 2,
            corner.batch};
  }
  // Through the tree: the thread's 2x2 sums of the 8 columns from patch * 8 on.
  template <class Node>
  TILE_DEVICE auto visit(HalfSums sums, int patch, Place corner, Extent extent) {
    const Value* at = sums + patch * 4;
    return Node::visit(params_.tree, state_, Patch<Value>{{{at[0], at[1]}, {at[2], at[3]}}},
                       place_of(corner, patch), extent);
  }

  // 64 rows in pieces of columns, from `first` on; pieces may differ in width.
  template <class Node, int first>
  TILE_DEVICE void store_pieces(HalfSums sums, Place corner, Extent extent) {
    if constexpr (first < config.tile_n) {
      constexpr OperandTile piece = config.piece(first);
      char* stage = staging_.acquire();
      if constexpr (bytes_of(config.out) == 2 && piece.k % 16 == 0) {
#pragma unroll
        for (int patch = 0; patch < piece.k / 8; patch += 2)
          stage_four<piece>(stage, visit<Node>(sums, first / 8 + patch, corner, extent),
                            visit<Node>(sums, first / 8 + patch + 1, corner, extent), patch * 8);
      } else {
#pragma unroll
        for (int patch = 0; patch < piece.k / 8; ++patch)
          stage_patch<piece>(stage, visit<Node>(sums, first / 8 + patch, corner, extent),
                             patch * 8);
      }
      const Place at{corner.row, corner.column + first, corner.batch};
      staging_.template send<piece>(stage, params_.out.map(corner.batch, config, piece), at,
                                    Output::depth(corner.batch));
      store_pieces<Node, first + piece.k>(sums, corner, extent);
    }
  }

  template <class Node>
  TILE_DEVICE void store_direct(HalfSums sums, Place corner, Extent extent) {
#pragma unroll
    for (int patch = 0; patch < config.tile_n / 8; ++patch)
      store_patch<config.out>(params_.out.data, params_.out.stride, params_.out.batch_stride,
                              visit<Node>(sums, patch, corner, extent), place_of(corner, patch),
                              extent);
  }

  const Params& params_;
  typename Tree::State state_{};
  Staging<config> staging_;
};

}  // namespace tile
