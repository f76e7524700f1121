// What is known of a call's extents besides their class, so that emitted code need not ask for it:
// whether rows fill their tile to the last element, and whether they end between two accesses.
#pragma once

#include <vector>

#include "jit/ir/function.hpp"
#include "jit/ir/signature.hpp"

namespace aisp::jit {

// An axis of a tensor at which rows of the program end.
struct RowEnd {
  int tensor = 0, axis = 0;
  bool fills = false;  // the tile of the program is exactly as long as the axis
  bool steps = false;  // no access has elements on both sides of the end
  int step = -1;       // which fact of the axis says so: step_of; -1 where accesses are of 1
};

// `shape` is what every tile of the program spreads to; its last extent are the rows, which are
// accessed `vector` elements at a time.
std::vector<RowEnd> row_ends(const Function& function, const Signature& signature,
                             const std::vector<int>& shape, std::int64_t vector);

// Of those the one that an extent is, or nothing.
const RowEnd* end_of(const std::vector<RowEnd>& ends, const Operation& extent);

}  // namespace aisp::jit
