// warp_specialized_cluster_multistream: a separable transform of tiles as a pipeline of two stages,
// left x and then that times right. Between the stages a tile goes through global memory, or
// through the shared memory of a cluster whose blocks have a stage each.
#include "chapters/ch11/common/tile_transform.hpp"
#include "chapters/ch11/warp_specialized_cluster_multistream/stages.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "warp_specialized_cluster_multistream";
  target.idea = "stages hand tiles on through distributed shared memory, in several streams";
  target.shows_in = lab::Count::overlap;
  target.aliases = {{"warp_specialized_cluster_pipeline_multistream", ""}};
  target.axes = {"tiles"};
  target.variants = {""};
  target.full = {{"", {8192}}};
  // On 8 multiprocessors, four clusters: some come back to their first slot; fewer tiles than
  // clusters.
  target.quick = {{"", {18}}, {"", {1}}};
  target.problem = [](const lab::Size& size) {
    return ch11::tile_transform_problem("warp_specialized_cluster_multistream", size,
                                        size.dims.at(0), ch11::stage_tile_rows);
  };
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
