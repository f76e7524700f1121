// The control-flow graph of one routine and where divergent lanes meet again.
#pragma once

#include <cstdint>
#include <vector>

namespace aisp::sim {

// An op that does not simply go on with the next one. Ops are numbered within the routine.
struct Transfer {
  std::uint32_t op = 0;
  bool falls_through = false;          // guarded, or a call
  bool leaves = false;                 // ret, exit
  std::vector<std::uint32_t> targets;  // ops
};

struct FlowGraph {
  struct Block {
    std::uint32_t first = 0, end = 0;  // ops
    std::vector<std::uint32_t> successors;
    bool leaves = false;  // may end the routine
  };
  std::vector<Block> blocks;  // in the order of the text; the first one is the entry

  std::uint32_t exit() const { return static_cast<std::uint32_t>(blocks.size()); }
  std::uint32_t block_of(std::uint32_t op) const;
};

// `transfers` in the order of their ops. The last op must not fall through.
FlowGraph make_flow_graph(std::uint32_t ops, const std::vector<Transfer>& transfers);

// Immediate post-dominator of each block, exit() where it is the end of the routine. Loops that
// never end count as if their last block could leave.
std::vector<std::uint32_t> post_dominators(const FlowGraph& graph);

}  // namespace aisp::sim
