// The collective epilogue of Blackwell: four warps load accumulators from tensor memory, in the
// fragments that the trees of the Hopper kernels take, and send them on to global memory, straight
// or by way of swizzled staging and TMA. A warp has rows (and buffers) of its own and waits for no
// other.
#pragma once

#include "tile/arch/tcgen05_transfer.cuh"
#include "tile/atom/tmem_copy.hpp"
#include "tile/collective/epilogue/fragment_memory.hpp"
#include "tile/collective/epilogue/output.cuh"
#include "tile/collective/epilogue/scaled_output.cuh"
#include "tile/collective/epilogue/staging.cuh"
#include "tile/collective/gemm_rules_sm100.hpp"

namespace aisp::tile {

template <Sm100Config config>
struct Sm100StagingBuffers {
  static_assert(sm100_admitted<config>);
  static constexpr Sm100Config c = sm100_sizes_from<config>;
  // (SUBTILE_M, SUBTILE_N, STAGES, WARPS)
  alignas(1024) char subtiles[4][c.out_buffers][c.subtile(0).bytes()];
};

// Subtiles of one warp's output on their way to TMA: while it reads one, the warp fills the next.
template <Sm100Config config>
class WarpStaging {
 public:
  TILE_DEVICE WarpStaging(Sm100StagingBuffers<config>& shared, int warp)
      : buffers_(shared.subtiles[warp][0]) {}
  TILE_DEVICE WarpStaging(NoStaging&, int) {}

  // A buffer that TMA has read.
  TILE_DEVICE char* acquire() {
    if (arch::elect_one()) arch::bulk_wait_read<config.out_buffers - 1>();
    __syncwarp();
    char* stage = buffers_ + next_ * config.subtile(0).bytes();  // (SUBTILE_M, SUBTILE_N)
    next_ = next_ + 1 == config.out_buffers ? 0 : next_ + 1;
    return stage;
  }

  template <OperandTile subtile>
  TILE_DEVICE void send(const char* stage, const CUtensorMap* map, OutputCoord at, int depth) {
    arch::fence_async_shared();
    __syncwarp();
    if (!arch::elect_one()) return;
    arch::tma_store(map, stage, at.column, at.row, depth);
    arch::bulk_commit();
  }

  TILE_DEVICE void drain() {
    if (config.store == Store::tma && arch::elect_one()) arch::bulk_wait_read<0>();
  }

 private:
  char* buffers_ = nullptr;
  int next_ = 0;
};

// How subtiles get to an output: into a matrix, unless the output brings its own way.
template <Sm100Config config, class Output>
struct WarpStagingFor {
  using Type = WarpStaging<config>;
};

template <Sm100Config config, EpilogueNode Tree, class Output = BatchOutput>
class Sm100Epilogue {
 public:
  struct Params {
    typename Tree::Params tree{};
    Output out{};
  };
  using Value = std::conditional_t<config.a == Element::s8, int, float>;
  using Shared =
      std::conditional_t<config.store == Store::tma, Sm100StagingBuffers<config>, NoStaging>;

  TILE_DEVICE Sm100Epilogue(Shared& shared, const Params& params, int warp)
      : params_(params), part_(config.part(warp)), warp_(warp), staging_(shared, warp) {}

  // The accumulators of the block's part of a tile, whose first row and column are `corner`.
  TILE_DEVICE void store(arch::TmemAddress accumulator, OutputCoord corner) {
    const Extent extent = params_.out.enter(corner.batch);
    const arch::TmemAddress from = arch::tmem_at(accumulator, 32 * warp_, 0);
    const OutputCoord at{corner.row + part_.first_row, corner.column + part_.first_column,
                         corner.batch};
    if constexpr (ReducibleNode<Tree>)
      if (Tree::reduces(params_.tree, state_))
        return store_through<typename Tree::Reduced, 0>(from, at, extent);
    store_through<Tree, 0>(from, at, extent);
  }

  // After the last tile: the staging may not vanish before TMA has read it.
  TILE_DEVICE void finish() {
    staging_.drain();
    Tree::finish(params_.tree, state_);
  }

 private:
  // Subtiles of columns, from `first` on; they may differ in width.
  template <class Node, int first>
  TILE_DEVICE void store_through(arch::TmemAddress from, OutputCoord corner, Extent extent) {
    if constexpr (first < config.part(0).columns) {
      constexpr OperandTile subtile = config.subtile(first);
      const OutputCoord at{corner.row, corner.column + first, corner.batch};
      char* stage = nullptr;  // (SUBTILE_M, SUBTILE_N)
      if constexpr (config.store == Store::tma) stage = staging_.acquire();
#pragma unroll 1
      for (int row = 0; row < subtile.rows; row += 16)
        store_rows<Node, subtile>(arch::tmem_at(from, row, first), stage,
                                  {at.row + row, at.column, at.batch}, row, extent);
      if constexpr (config.store == Store::tma)
        staging_.template send<subtile>(stage, params_.out.map(corner.batch, config, subtile), at,
                                        params_.out.depth(corner.batch));
      store_through<Node, first + subtile.k>(from, corner, extent);
    }
  }

  // 16 rows of a subtile, `row` of it on.
  template <class Node, OperandTile subtile>
  TILE_DEVICE void store_rows(arch::TmemAddress from, char* stage, OutputCoord corner, int row,
                              Extent extent) {
    using Load = FragmentLoad<subtile.k / 8>;
    std::uint32_t loaded[Load::registers];  // (4, SUBTILE_N / 8)
    arch::tmem_load<Load::shape>(loaded, from);
    arch::tmem_wait_loads(loaded);
    const auto visit = [&](int fragment) {
      const std::uint32_t* four = loaded + 4 * fragment;
      return Node::visit(params_.tree, state_,
                         EpilogueFragment<Value>{
                             {{value(four[0]), value(four[1])}, {value(four[2]), value(four[3])}}},
                         coord_of(corner, fragment), extent);
    };
    char* const rows = stage + row * width_of(subtile.swizzle);
    if constexpr (config.out_scaling != Scaling::none) {
      constexpr int together = scaled_together(config.out_scaling) / 8;
#pragma unroll
      for (int first = 0; first < subtile.k / 8; first += together) {
        EpilogueFragment<Value> block[together];
#pragma unroll
        for (int i = 0; i < together; ++i) block[i] = visit(first + i);
        store_scaled<config.out, config.out_scaling>(params_.out, block, coord_of(corner, first),
                                                     extent);
      }
    } else if constexpr (config.store == Store::direct) {
#pragma unroll
      for (int fragment = 0; fragment < subtile.k / 8; ++fragment)
        store_values(visit(fragment), coord_of(corner, fragment), extent);
    } else if constexpr (bytes_of(config.out) == 2 && subtile.k % 16 == 0) {
#pragma unroll
      for (int fragment = 0; fragment < subtile.k / 8; fragment += 2)
        stage_stmatrix<subtile>(rows, visit(fragment), visit(fragment + 1), fragment * 8);
    } else {
#pragma unroll
      for (int fragment = 0; fragment < subtile.k / 8; ++fragment)
        stage_fragment<subtile>(rows, visit(fragment), fragment * 8);
    }
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

  TILE_DEVICE static Value value(std::uint32_t bits) {
    if constexpr (std::is_same_v<Value, float>)
      return __uint_as_float(bits);
    else
      return static_cast<int>(bits);
  }
  TILE_DEVICE static OutputCoord coord_of(OutputCoord corner, int fragment) {
    const Cell first = wgmma_warp_accumulator(lane(), 4 * fragment);
    return {corner.row + first.row, corner.column + first.column, corner.batch};
  }

  const Params& params_;
  const Tcgen05WarpPart part_;
  const int warp_;
  typename Tree::State state_{};
  typename WarpStagingFor<config, Output>::Type staging_;
};

}  // namespace aisp::tile
