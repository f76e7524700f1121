// cluster_group: the sum over each row, a row shared by eight blocks. With distributed shared
// memory the blocks of a cluster add their parts without a way through global memory.
#include "chapters/ch10/common/reduction.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "cluster_group";
  target.idea = "blocks of a cluster combine through shared memory, not through a second pass";
  target.shows_in = lab::Count::launches;
  target.axes = {"rows", "columns"};
  target.variants = {""};
  target.full = ch10::reduction_full;
  target.quick = ch10::reduction_quick;
  target.problem = [](const lab::Size& size) { return ch10::row_sums("cluster_group", size); };
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
