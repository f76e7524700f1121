// How the kernels of sm_90 store the pixels of a gradient: TMA places them in the images.
#pragma once

#include "tile/collective/epilogue/epilogue_sm90.cuh"
#include "tile/collective/epilogue/im2col_output.cuh"

namespace aisp::tile {

template <Sm90Config config>
class PixelStaging : public Staging<config> {
 public:
  static_assert(config.out_major == Major::k && config.tile_n % config.widest_subtile() == 0,
                "subtiles of one width, a warp's own 16 rows each");
  using Staging<config>::Staging;

  template <OperandTile subtile>
  TILE_DEVICE void send(const char* stage, const CUtensorMap* map, OutputCoord corner,
                        const PixelWalk& images) {
    static_assert(subtile.panels() == 1);
    arch::fence_async_shared();
    const int row = corner.row + arch::warp_uniform(warp_row());
    __syncwarp();
    if (!arch::elect_one()) return;
    arch::ImageCoord first = images.coord_of(row);
    first.channel = corner.column;
    arch::tma_store_im2col(map, stage, first);
    arch::bulk_commit();
  }
};

template <Sm90Config config>
struct StagingFor<config, PixelOutput> {
  using Type = PixelStaging<config>;
};

}  // namespace aisp::tile
