// Many small products that could be fewer large ones. Variants: `mlp` is y = max(0, x W1') W2' on
// 512 rows, 2048 -> 8192 -> 2048, which arrive in micro-batches; `grouped` has rows that belong to
// groups with weights of their own, as uneven as the experts of a router.
#include "lab/case/registry.hpp"
#include "lab/judge/batch_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return size.variant == "grouped" ? lab::grouped_problem("batch", size)
                                   : lab::mlp_problem("batch", size);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "batch";
  target.idea = "one batched or grouped product instead of many small ones";
  target.shows_in = lab::Count::launches;
  // mlp: N is the hidden width, K that of x and y, groups the micro-batches.
  target.axes = {"rows", "N", "K", "groups"};
  target.variants = {"mlp", "grouped"};
  target.full = {{"mlp", {512, 8192, 2048, 128}},
                 {"grouped", {8192, 4096, 2048, 8}},
                 {"grouped", {8192, 4096, 2048, 32}},
                 {"grouped", {8192, 4096, 2048, 64}}};
  // Micro-batches of 4 rows; groups of 0 to some 30 rows, and of more than one tile.
  target.quick = {
      {"mlp", {24, 200, 136, 6}}, {"grouped", {150, 136, 200, 16}}, {"grouped", {600, 264, 72, 5}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
