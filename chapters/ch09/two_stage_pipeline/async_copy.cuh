// cp.async of a tile into shared memory, for the rungs that use it.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "chapters/ch09/two_stage_pipeline/stencil.cuh"

namespace aisp::ch09 {

// Starts this thread's part of the tile and closes the group. A tile past the end makes an empty
// group, so that "all groups but the newest" always means the tile to be computed next.
// A vector outside the array is filled with zeros by the copy itself; one that the end of the array
// cuts is put together by the thread, because a 16-byte copy of it would name bytes past the end.
__device__ __forceinline__ void start_tile(TileBuffer& to, const float* x, std::int64_t tile,
                                           std::int64_t tiles, std::int64_t count) {
  if (tile < tiles)
    for_tile_vectors(tile, [&](int vector, std::int64_t first) {
      const int inside = bytes_inside(first, count);
      if (inside == 16 || inside == 0)
        __pipeline_memcpy_async(&to.at[vector], inside > 0 ? x + first : x, 16,
                                static_cast<std::size_t>(16 - inside));
      else
        to.at[vector] = cut_vector(x, first, count);
    });
  __pipeline_commit();
}

}  // namespace aisp::ch09
