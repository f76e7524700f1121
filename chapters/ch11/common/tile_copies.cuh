// Tiles between global and shared memory by TMA.
#pragma once

#include "chapters/ch11/common/enqueue_transform.hpp"
#include "chapters/ch11/common/tile_transform.cuh"
#include "lab/case/per_buffers.hpp"
#include "tile/arch/bulk_copy.cuh"
#include "tile/arch/tma.cuh"
#include "tile/device/launch/tensor_map.hpp"

namespace aisp::ch11 {

// The tensors of the transform as TMA sees them.
struct TransformMaps {
  CUtensorMap x, left, right, y;
};

// `count` matrices of (rows, columns), one behind the other; a box is a panel.
inline CUtensorMap map_of(const void* data, std::int64_t count, int rows, int columns) {
  return tile::device::describe({.data = data,
                                 .contiguous = columns,
                                 .lines = rows,
                                 .batch = count,
                                 .line_stride = columns,
                                 .batch_stride = std::int64_t{rows} * columns},
                                {.rows = rows, .k = columns}, rows);
}
inline TransformMaps transform_maps(const lab::Launch& launch, int rows) {
  const std::int64_t tiles = launch.dim(0);
  return {map_of(launch.in<void>(0), tiles, rows, tile_columns),
          map_of(launch.in<void>(1), 1, rows, rows),
          map_of(launch.in<void>(2), 1, tile_columns, tile_columns),
          map_of(launch.out<void>(0), tiles, rows, tile_columns)};
}

// `enqueue` gets the maps of the launch's buffers, made once for each set of them.
inline lab::Run run_on_maps(const EnqueueTransform& enqueue, int rows) {
  return lab::per_buffers([enqueue, rows](const lab::Launch& launch) -> lab::Enqueue {
    return [enqueue, maps = transform_maps(launch, rows)](cudaStream_t stream) {
      enqueue(maps, stream);
    };
  });
}

// One thread asks; `barrier` counts the bytes.
template <int rows, int columns>
TILE_DEVICE void bring(SharedMatrix<rows, columns>& to, const CUtensorMap& map, int index,
                       tile::arch::MBarrier* barrier) {
#pragma unroll
  for (int panel = 0; panel < to.panels; ++panel)
    tile::arch::tma_load(to.data + panel * to.panel_bytes, &map, barrier, panel * panel_columns, 0,
                         index);
}
// A group of copies of its own; the tile was written before a fence_async_shared.
template <int rows>
TILE_DEVICE void take_away(const CUtensorMap& map, const SharedTile<rows>& from, int index) {
#pragma unroll
  for (int panel = 0; panel < from.panels; ++panel)
    tile::arch::tma_store(&map, from.data + panel * from.panel_bytes, panel * panel_columns, 0,
                          index);
  tile::arch::bulk_commit();
}

// A math warp is done with what it wrote to shared memory: TMA may read it when all warps have said
// so.
TILE_DEVICE void hand_over(tile::arch::MBarrier* done) {
  tile::arch::fence_async_shared();
  __syncwarp();
  if (threadIdx.x % 32 == 0) tile::arch::mbarrier_arrive(done);
}

}  // namespace aisp::ch11
