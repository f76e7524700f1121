// The collective epilogue: a math warpgroup sends its accumulators through a tree of operations and
// on to global memory, either straight from registers or by way of swizzled staging and TMA.
#pragma once

#include "tile/collective/epilogue/fragment_memory.hpp"
#include "tile/collective/epilogue/output.cuh"
#include "tile/collective/epilogue/staging_sm90.cuh"
#include "tile/collective/mainloop/accumulators.cuh"

namespace aisp::tile {

// How subtiles get to an output: into a matrix, unless the output brings its own way.
template <Sm90Config config, class Output>
struct StagingFor {
  using Type = Staging<config>;
};

template <Sm90Config config, EpilogueNode Tree, class Output = BatchOutput>
class Sm90Epilogue {
 public:
  struct Params {
    typename Tree::Params tree{};
    Output out{};
  };
  using Value = typename Accumulators<config>::Value;
  using Shared =
      std::conditional_t<config.store == Store::tma, Sm90StagingBuffers<config>, NoStaging>;

  TILE_DEVICE Sm90Epilogue(Shared& shared, const Params& params, int warpgroup)
      : params_(params), staging_(shared, warpgroup) {}

  // The accumulators of `tile`'s rows from `first_row` on.
  TILE_DEVICE void store(const Accumulators<config>& accumulators, const BlockTile& tile,
                         int first_row) {
    const Extent extent = params_.out.enter(tile.batch);
    if constexpr (ReducibleNode<Tree>)
      if (Tree::reduces(params_.tree, state_))
        return store_through<typename Tree::Reduced>(accumulators, tile, first_row, extent);
    store_through<Tree>(accumulators, tile, first_row, extent);
  }

  // One fragment of a thread, of the 8 columns from fragment * 8 on, straight to memory.
  TILE_DEVICE void store_fragment_of(const EpilogueFragment<Value>& values, int m_atom,
                                     int fragment, const BlockTile& tile, int first_row) {
    const OutputCoord coord =
        coord_of({tile.row + first_row + m_atom * 64, tile.column, tile.batch}, fragment);
    const Extent extent = params_.out.enter(tile.batch);
    store_values(Tree::visit(params_.tree, state_, values, coord, extent), coord, extent);
  }

  // After the last tile: the staging may not vanish before TMA has read it.
  TILE_DEVICE void finish() {
    staging_.drain();
    Tree::finish(params_.tree, state_);
  }

 private:
  using AtomAccumulators = const Value (&)[config.tile_n / 2];  // (4, BLK_N / 8)

  template <class Node>
  TILE_DEVICE void store_through(const Accumulators<config>& accumulators, const BlockTile& tile,
                                 int first_row, Extent extent) {
#pragma unroll
    for (int m = 0; m < Accumulators<config>::m_atoms; ++m) {
      const OutputCoord corner{tile.row + first_row + m * 64, tile.column, tile.batch};
      AtomAccumulators of_atom = accumulators.of[m];  // (4, BLK_N / 8)
      if constexpr (config.store == Store::tma)
        store_subtiles<Node, 0>(of_atom, corner, extent);
      else
        store_direct<Node>(of_atom, corner, extent);
    }
  }

  TILE_DEVICE static OutputCoord coord_of(OutputCoord corner, int fragment) {
    const Cell first = wgmma_warp_accumulator(lane(), 4 * fragment);
    return {corner.row + warp_row() + first.row, corner.column + first.column, corner.batch};
  }
  // Through the tree: the thread's 2x2 accumulators of the 8 columns from fragment * 8 on.
  template <class Node>
  TILE_DEVICE auto visit(AtomAccumulators accumulators, int fragment, OutputCoord corner,
                         Extent extent) {
    const Value* at = accumulators + fragment * 4;  // (4)
    return Node::visit(params_.tree, state_,
                       EpilogueFragment<Value>{{{at[0], at[1]}, {at[2], at[3]}}},
                       coord_of(corner, fragment), extent);
  }

  // 64 rows in subtiles of columns, from `first` on; subtiles may differ in width.
  template <class Node, int first>
  TILE_DEVICE void store_subtiles(AtomAccumulators accumulators, OutputCoord corner,
                                  Extent extent) {
    if constexpr (first < config.tile_n) {
      constexpr OperandTile subtile = config.subtile(first);
      char* stage = staging_.acquire();  // (SUBTILE_M, SUBTILE_N)
      if constexpr (bytes_of(config.out) == 2 && subtile.k % 16 == 0) {
#pragma unroll
        for (int fragment = 0; fragment < subtile.k / 8; fragment += 2)
          stage_stmatrix<subtile>(
              stage, visit<Node>(accumulators, first / 8 + fragment, corner, extent),
              visit<Node>(accumulators, first / 8 + fragment + 1, corner, extent), fragment * 8);
      } else {
#pragma unroll
        for (int fragment = 0; fragment < subtile.k / 8; ++fragment)
          stage_fragment<subtile>(
              stage, visit<Node>(accumulators, first / 8 + fragment, corner, extent), fragment * 8);
      }
      const OutputCoord at{corner.row, corner.column + first, corner.batch};
      staging_.template send<subtile>(stage, params_.out.map(corner.batch, config, subtile), at,
                                      params_.out.depth(corner.batch));
      store_subtiles<Node, first + subtile.k>(accumulators, corner, extent);
    }
  }

  template <class Node>
  TILE_DEVICE void store_direct(AtomAccumulators accumulators, OutputCoord corner, Extent extent) {
#pragma unroll
    for (int fragment = 0; fragment < config.tile_n / 8; ++fragment)
      store_values(visit<Node>(accumulators, fragment, corner, extent), coord_of(corner, fragment),
                   extent);
  }
  // An output that is no matrix knows where its fragments go.
  template <class V>
  TILE_DEVICE void store_values(const EpilogueFragment<V>& values, OutputCoord coord,
                                Extent extent) {
    if constexpr (requires { Output::places_fragments; })
      params_.out.template put<config.out>(values, coord);
    else
      store_fragment<config.out>(params_.out.data, params_.out.stride, params_.out.batch_stride,
                                 values, coord, extent);
  }

  const Params& params_;
  typename Tree::State state_{};
  typename StagingFor<config, Output>::Type staging_;
};

}  // namespace aisp::tile
