// Positions of a function for a call with known extents: what of them is a number, and what they
// reach over all blocks and all turns of loops.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "jit/ir/function.hpp"

namespace aisp::jit {

using CallExtents = std::vector<std::vector<std::int64_t>>;  // of each tensor, then of each array

// What a run of tiles covers along one axis, [low, high).
struct Sweep {
  static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 4;
  std::int64_t low = -far, high = far;
  std::int64_t last_start = far;  // of the tile that starts last
  std::int64_t asked = far;       // where the elements that the program goes over end
  bool known = false;             // else nothing is known, and all is covered
  bool iterates = false;          // some block or turn is elsewhere than another
  bool gaps = false;              // there are elements between two tiles
  std::int64_t tiles = 1;         // how many tiles there are, where they do not overlap
  const Operation* by = nullptr;  // the blocks or the loop that moves it furthest
};

class IndexForms {
 public:
  IndexForms(const Function& function, const CallExtents& extents);

  // An affine form whose numbers are known: blocks, counters and what depends on them are left.
  Affine form(Id index) const;
  std::optional<std::int64_t> number(Id index) const;
  // a - b, where that is the same for all blocks and turns.
  static std::optional<std::int64_t> difference(const Affine& a, const Affine& b);

  Sweep sweep(const Affine& start, std::int64_t tile) const;

  const Operation* definition(Id id) const;
  bool is_counter(Id symbol) const { return counters_.contains(symbol); }
  // Whether the symbol is the position of a block, and this call has more than one along it.
  bool differs_between_blocks(Id symbol) const;

 private:
  struct Turns {
    std::int64_t count = 0;   // how many values a symbol has
    std::int64_t length = 0;  // of what the blocks or the loop go over
    const Operation* by = nullptr;
  };
  std::optional<Turns> turns(Id symbol) const;
  std::optional<std::int64_t> most(Id index) const;

  const Function& function_;
  const CallExtents& extents_;
  std::map<Id, const Operation*> definitions_, counters_;
  mutable std::map<Id, std::optional<std::int64_t>> numbers_;
};

}  // namespace aisp::jit
