// Rung 2: the same pipelines in several streams, each with its own part of the tiles and of the
// chip: several consumers of one device that do not wait for each other.
#include <algorithm>
#include <memory>

#include "chapters/ch11/common/streams.hpp"
#include "chapters/ch11/warp_specialized_cluster_multistream/stages.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// A third of an H200's 66 pairs of multiprocessors is 22.
constexpr int most_streams = 3;

// Tiles in proportion to the clusters, so that all end together.
struct Part {
  ch11::ClusterShare share;
  int clusters;
};

lab::Run prepare(lab::Setup& setup) {
  const std::int64_t tiles = setup.problem().size.dims.at(0);
  const std::int64_t clusters = std::min<std::int64_t>(ch11::resident_pipelines(), tiles);
  const auto count = static_cast<int>(std::min<std::int64_t>(most_streams, clusters));
  std::vector<Part> parts;
  for (int i = 0; i < count; ++i) {
    const std::int64_t begin = clusters * i / count, end = clusters * (i + 1) / count;
    const std::int64_t first = tiles * begin / clusters, last = tiles * end / clusters;
    parts.push_back(
        {{static_cast<int>(first), static_cast<int>(last - first)}, static_cast<int>(end - begin)});
  }
  const auto streams = std::make_shared<ch11::SideStreams>("pipelines", count);
  return ch11::run_pipelines([=](const ch11::TransformMaps& maps, cudaStream_t stream) {
    streams->fork(stream);
    for (int i = 0; i < count; ++i) {
      const Part& part = parts[static_cast<std::size_t>(i)];
      ch11::launch_pipeline(maps, part.share, part.clusters, (*streams)[i]);
    }
    streams->join(stream);
  });
}

const lab::RungEntry entry{"ch11:warp_specialized_cluster_multistream",
                           {.name = "dsmem_in_streams",
                            .step = 2,
                            .builds_on = "through_dsmem",
                            .idea = "three streams, each with a third of the tiles and clusters",
                            .look_at = "three kernels at a time, none waits for another",
                            .needs = lab::Needs::sm_90,
                            .prepare = prepare}};

}  // namespace
