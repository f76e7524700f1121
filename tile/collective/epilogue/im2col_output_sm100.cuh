// How the epilogue of Blackwell stores pixels of images; where the gradients of filters go it needs
// nothing of its own.
#pragma once

#include "tile/collective/epilogue/epilogue_sm100.cuh"
#include "tile/collective/epilogue/im2col_output.cuh"

namespace aisp::tile {

template <Sm100Config config>
class PixelWarpStaging : public WarpStaging<config> {
 public:
  static_assert(config.stored_columns() % config.widest_subtile() == 0,
                "subtiles of one width: the output has one map");
  using WarpStaging<config>::WarpStaging;

  template <OperandTile subtile>
  TILE_DEVICE void send(const char* stage, const CUtensorMap* map, OutputCoord at,
                        const PixelWalk& images) {
    arch::fence_async_shared();
    __syncwarp();
    if (!arch::elect_one()) return;
    arch::ImageCoord first = images.coord_of(at.row);
    first.channel = at.column;
    arch::tma_store_im2col(map, stage, first);
    arch::bulk_commit();
  }
};

template <Sm100Config config>
struct WarpStagingFor<config, PixelOutput> {
  using Type = PixelWarpStaging<config>;
};

}  // namespace aisp::tile
