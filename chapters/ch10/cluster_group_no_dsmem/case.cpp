// cluster_group_no_dsmem: the sum over each row, a row shared by eight blocks, for devices whose
// blocks cannot reach each other's shared memory: they meet at an atomic in global memory.
#include "chapters/ch10/common/reduction.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "cluster_group_no_dsmem";
  target.idea = "without distributed shared memory: one launch, one atomic per block";
  target.shows_in = lab::Count::launches;
  target.axes = {"rows", "columns"};
  target.variants = {""};
  target.full = ch10::reduction_full;
  target.quick = ch10::reduction_quick;
  target.problem = [](const lab::Size& size) {
    return ch10::row_sums("cluster_group_no_dsmem", size);
  };
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
