// One variant of a program: what it is after the passes, and its text. Nothing is compiled yet.
#pragma once

#include "jit/emit/emit.hpp"
#include "jit/inspection.hpp"
#include "jit/ir/interpret.hpp"
#include "jit/trace/trace.hpp"

namespace aisp::jit {

struct Variant {
  Function traced;    // as the lambda describes it
  Function function;  // after the passes
  Plan plan;
  Emitted emitted;
  std::vector<BoundArray> arrays;    // device memory behind the array parameters
  std::vector<unsigned> whole_axes;  // see Traced
  std::vector<Choice> choices;       // of the lambda
  std::vector<PassText> passes;

  // Blocks to launch for tensors of these extents, arrays included.
  std::int64_t blocks(const std::vector<std::vector<std::int64_t>>& extents) const {
    std::int64_t count = 1;
    for (const std::int64_t along : grid(function, extents)) count *= along;
    return count;
  }
};

// Runs the passes, with the verifier behind each, and writes the text. Refuses choices that nobody
// has asked for.
Variant make_variant(Traced traced, const Signature& signature);

}  // namespace aisp::jit
