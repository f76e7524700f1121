// Which registers of a routine hold a value that is still needed, and from where to where.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/flow.hpp"

namespace aisp::sim {

// What an op does to a register. A guarded op leaves some lanes' old values alone: its write does
// not end the life of what was there before.
struct Touch {
  enum class Kind : std::uint8_t { read, write, partial_write } kind = Kind::read;
  std::uint32_t reg = 0;
};

struct Touches {  // of all ops of a routine, in order
  std::vector<Touch> list;
  std::vector<std::uint32_t> first;  // per op: where its touches begin
  std::uint32_t begin(std::uint32_t op) const { return first[op]; }
  std::uint32_t end(std::uint32_t op) const {
    return op + 1 < first.size() ? first[op + 1] : static_cast<std::uint32_t>(list.size());
  }
};

// The ops between which a register is in use, both included; used false: it never is.
struct Interval {
  std::uint32_t first = 0, last = 0;
  bool used = false;
};

struct Liveness {
  std::vector<Interval> intervals;  // per register
  std::uint32_t most_words = 0;     // largest sum of `words` over registers live at one place
};

// `words`: what each register counts for in most_words.
Liveness find_liveness(const FlowGraph& graph, const Touches& touches,
                       const std::vector<std::uint8_t>& words);

}  // namespace aisp::sim
