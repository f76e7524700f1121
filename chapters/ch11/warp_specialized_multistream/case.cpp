// warp_specialized_multistream: a separable transform of tiles that come in batches. What its
// matrices take of shared memory leaves room for one block on a multiprocessor, so nobody else
// hides its loads: its own warps have to, and the launches of several streams the ends of batches.
#include "chapters/ch11/common/tile_transform.hpp"
#include "chapters/ch11/warp_specialized_multistream/batches.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  const std::int64_t tiles = size.dims.at(0), batches = size.dims.at(1);
  constexpr std::int64_t most = 4096;
  if (batches < 1 || batches > most)
    base::refuse(base::Exit::usage, "warp_specialized_multistream takes 1 to ", most,
                 " batches: got ", batches, "; use for example 16");
  return ch11::tile_transform_problem("warp_specialized_multistream", size, tiles,
                                      ch11::batch_tile_rows);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "warp_specialized_multistream";
  target.idea = "producer and consumer warps in each of several streams";
  target.shows_in = lab::Count::overlap;
  target.aliases = {{"warp_specialization_multistream", ""}, {"streams_warp_specialized_demo", ""}};
  target.axes = {"tiles", "batches"};
  target.variants = {""};
  target.full = {{"", {8192, 16}}};
  // On 8 multiprocessors a launch of the streams has two blocks, and one of them comes back to its
  // first slot; a batch without a tile.
  target.quick = {{"", {15, 3}}, {"", {1, 2}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
