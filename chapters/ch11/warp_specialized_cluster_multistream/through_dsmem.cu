// Rung 1: one kernel whose clusters have a stage in each block; a tile goes from stage to stage
// through distributed shared memory.
#include "chapters/ch11/warp_specialized_cluster_multistream/pipeline.cuh"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"
#include "tile/arch/warp.cuh"

using namespace aisp;

namespace aisp::ch11 {

TILE_DEVICE PipelineTiles tiles_of_cluster(ClusterShare share) {
  const int cluster = static_cast<int>(blockIdx.x) / 2, clusters = static_cast<int>(gridDim.x) / 2;
  return {share.first + cluster, clusters, (share.count - cluster + clusters - 1) / clusters};
}

TILE_DEVICE void run_pipeline(const TransformMaps& maps, ClusterShare share) {
  using namespace tile::arch;
  auto& shared = in_shared_memory<PipelineShared>();
  const PipelineTiles tiles = tiles_of_cluster(share);
  const bool is_first = cluster_rank() == first_block;
  if (threadIdx.x == 0) {
    init_barriers(shared);
    if (!is_first)
      for (int slot = 0; slot < min(pipeline_slots, tiles.count); ++slot) expect_tile(shared, slot);
  }
  cluster_sync();
  const int warp = warp_uniform(static_cast<int>(threadIdx.x) / 32);
  if (warp < pipeline_math_warps) {
    if (is_first)
      multiply_tiles<first_block>(shared, tiles.count);
    else
      multiply_tiles<second_block>(shared, tiles.count);
  } else if (elect_one()) {
    if (warp == pipeline_math_warps)
      is_first ? load_tiles(shared, maps, tiles) : confirm_arrivals(shared, tiles.count);
    else
      is_first ? send_tiles(shared, tiles.count) : store_tiles(shared, maps, tiles);
  }
  // No block ends before the other has read its shared memory and told it so.
  __syncwarp();
  cluster_sync();
}

}  // namespace aisp::ch11

extern "C" __global__ void __launch_bounds__(ch11::pipeline_threads)
    tile_pipeline(const __grid_constant__ ch11::TransformMaps maps, ch11::ClusterShare share) {
  if constexpr (tile::arch::has_bulk_copies)
    ch11::run_pipeline(maps, share);
  else
    __trap();
}

namespace aisp::ch11 {
namespace {

// What cudaLaunchKernelEx reads; it points into itself and stays where it is.
struct PipelineLaunch {
  PipelineLaunch(int clusters, cudaStream_t stream) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {2, 1, 1};
    config.gridDim = static_cast<unsigned>(2 * clusters);
    config.blockDim = pipeline_threads;
    config.dynamicSmemBytes = shared_bytes<PipelineShared>;
    config.stream = stream;
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  PipelineLaunch(const PipelineLaunch&) = delete;
  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config{};
};

}  // namespace

void launch_pipeline(const TransformMaps& maps, const ClusterShare& share, int clusters,
                     cudaStream_t stream) {
  const lab::Range range("pipeline");
  const PipelineLaunch launch(clusters, stream);
  lab::check_cuda(cudaLaunchKernelEx(&launch.config, tile_pipeline, maps, share), "tile_pipeline");
}

int resident_pipelines() {
  lab::check_cuda(cudaFuncSetAttribute(tile_pipeline, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       shared_bytes<PipelineShared>),
                  "shared memory of tile_pipeline");
  const PipelineLaunch launch(1, nullptr);
  int clusters = 0;
  lab::check_cuda(cudaOccupancyMaxActiveClusters(&clusters, tile_pipeline, &launch.config),
                  "clusters of tile_pipeline");
  if (clusters < 1)
    base::refuse(base::Exit::environment,
                 "warp_specialized_cluster_multistream: no two multiprocessors have room for a "
                 "cluster with ",
                 shared_bytes<PipelineShared>,
                 " bytes of shared memory in each block; use --rungs through_memory");
  return clusters;
}

lab::Run run_pipelines(const EnqueueTransform& enqueue) {
  return run_on_maps(enqueue, stage_tile_rows);
}

}  // namespace aisp::ch11

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto tiles = static_cast<int>(setup.problem().size.dims.at(0));
  const int clusters = std::min(ch11::resident_pipelines(), tiles);
  return ch11::run_pipelines([=](const ch11::TransformMaps& maps, cudaStream_t stream) {
    ch11::launch_pipeline(maps, {0, tiles}, clusters, stream);
  });
}

const lab::RungEntry entry{
    "ch11:warp_specialized_cluster_multistream",
    {.name = "through_dsmem",
     .step = 1,
     .builds_on = "through_memory",
     .idea = "a stage in each block of a cluster, tiles sent from one's shared memory to the other",
     .look_at = "one kernel; half the bytes of global memory; UBLKCP to the other block",
     .needs = lab::Needs::sm_90,
     .prepare = prepare}};

}  // namespace
