// The two stages of this target and their tile, and how clusters share the tiles.
#pragma once

#include <cuda_runtime_api.h>

#include "chapters/ch11/common/enqueue_transform.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch11 {

// A tile is (128, 128), so both stages do the same number of products.
inline constexpr int stage_tile_rows = 128;

// Neighbouring tiles, taken by the clusters of one launch in turn.
struct ClusterShare {
  int first, count;  // tiles
};

// The kernel whose clusters have a stage in each of their two blocks.
void launch_pipeline(const TransformMaps& maps, const ClusterShare& share, int clusters,
                     cudaStream_t stream);
// The most of them that run at once; also readies the kernel.
int resident_pipelines();

// `enqueue` enqueues all tiles.
lab::Run run_pipelines(const EnqueueTransform& enqueue);

}  // namespace aisp::ch11
