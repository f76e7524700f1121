#include "sim/program/flow.hpp"

#include <algorithm>

namespace aisp::sim {
namespace {

constexpr std::uint32_t unknown = 0xffffffffu;

// Post-order of the reversed graph from the exit; the exit comes last. Blocks from which the exit
// cannot be reached are tied to it, the one latest in the text first.
class ReverseOrder {
 public:
  explicit ReverseOrder(const FlowGraph& graph) : exit_(graph.exit()), into_(exit_ + 1) {
    for (std::uint32_t block = 0; block < exit_; ++block) {
      for (const std::uint32_t successor : graph.blocks[block].successors)
        into_[successor].push_back(block);
      if (graph.blocks[block].leaves) into_[exit_].push_back(block);
    }
    place_.assign(exit_ + 1, unknown);
    seen_.assign(exit_ + 1, false);
    seen_[exit_] = true;
    for (const std::uint32_t block : into_[exit_]) visit(block);
    for (std::uint32_t block = exit_; block-- > 0;) {
      if (seen_[block]) continue;
      tied_.push_back(block);
      visit(block);
    }
    finish(exit_);
  }
  const std::vector<std::uint32_t>& order() const { return order_; }
  std::uint32_t place(std::uint32_t block) const { return place_[block]; }
  const std::vector<std::uint32_t>& tied() const { return tied_; }

 private:
  void finish(std::uint32_t block) {
    place_[block] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(block);
  }
  void visit(std::uint32_t start) {
    if (seen_[start]) return;
    struct Step {
      std::uint32_t block, next;
    };
    std::vector<Step> stack{{start, 0}};
    seen_[start] = true;
    while (!stack.empty()) {
      Step& step = stack.back();
      if (step.next == into_[step.block].size()) {
        finish(step.block);
        stack.pop_back();
        continue;
      }
      const std::uint32_t before = into_[step.block][step.next++];
      if (seen_[before]) continue;
      seen_[before] = true;
      stack.push_back({before, 0});
    }
  }

  std::uint32_t exit_;
  std::vector<std::vector<std::uint32_t>> into_;
  std::vector<std::uint32_t> order_, place_, tied_;
  std::vector<bool> seen_;
};

}  // namespace

std::uint32_t FlowGraph::block_of(std::uint32_t op) const {
  const auto behind = std::upper_bound(
      blocks.begin(), blocks.end(), op,
      [](std::uint32_t wanted, const Block& block) { return wanted < block.first; });
  return static_cast<std::uint32_t>(behind - blocks.begin()) - 1;
}

FlowGraph make_flow_graph(std::uint32_t ops, const std::vector<Transfer>& transfers) {
  std::vector<bool> starts(ops + 1, false);
  starts[0] = true;
  for (const Transfer& transfer : transfers) {
    starts[transfer.op + 1] = true;
    for (const std::uint32_t target : transfer.targets) starts[target] = true;
  }
  FlowGraph graph;
  std::vector<std::uint32_t> block_at(ops, unknown);
  for (std::uint32_t op = 0; op < ops; ++op) {
    if (starts[op]) graph.blocks.push_back({op, op, {}, false});
    graph.blocks.back().end = op + 1;
    block_at[op] = static_cast<std::uint32_t>(graph.blocks.size()) - 1;
  }
  auto transfer = transfers.begin();
  for (std::uint32_t index = 0; index < graph.blocks.size(); ++index) {
    FlowGraph::Block& block = graph.blocks[index];
    while (transfer != transfers.end() && transfer->op < block.end - 1) ++transfer;
    const bool ends = transfer != transfers.end() && transfer->op == block.end - 1;
    if (ends) {
      block.leaves = transfer->leaves;
      for (const std::uint32_t target : transfer->targets)
        block.successors.push_back(block_at[target]);
    }
    if ((!ends || transfer->falls_through) && index + 1 < graph.blocks.size())
      block.successors.push_back(index + 1);
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
  }
  return graph;
}

// Cooper, Harvey and Kennedy: walk the reversed graph in reverse post-order until nothing changes.
std::vector<std::uint32_t> post_dominators(const FlowGraph& graph) {
  const ReverseOrder reverse(graph);
  const std::uint32_t exit = graph.exit();
  std::vector<std::uint32_t> found(exit + 1, unknown);
  found[exit] = exit;
  std::vector<bool> leaves(exit);
  for (std::uint32_t block = 0; block < exit; ++block) leaves[block] = graph.blocks[block].leaves;
  for (const std::uint32_t block : reverse.tied()) leaves[block] = true;

  auto meet = [&](std::uint32_t a, std::uint32_t b) {
    if (a == unknown) return b;
    while (a != b) {
      while (reverse.place(a) < reverse.place(b)) a = found[a];
      while (reverse.place(b) < reverse.place(a)) b = found[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = reverse.order().rbegin() + 1; at != reverse.order().rend(); ++at) {
      std::uint32_t common = leaves[*at] ? exit : unknown;
      for (const std::uint32_t successor : graph.blocks[*at].successors)
        if (found[successor] != unknown) common = meet(common, successor);
      changed |= common != found[*at];
      found[*at] = common;
    }
  }
  found.pop_back();
  return found;
}

}  // namespace aisp::sim
