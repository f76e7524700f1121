// Which schedule a function gets, and the numbers that go with it. Every number is a named
// decision with its reason, and can be set by a choice of the call.
#pragma once

#include <optional>

#include "jit/ir/function.hpp"
#include "jit/ir/signature.hpp"
#include "jit/pass/facts.hpp"
#include "tile/arch/limits.hpp"

namespace aisp::jit {

// rows: threads share the rows of a tile, elements in registers, reductions along rows.
// plain: any function; what others need to see goes through shared memory. Slow and right.
enum class Schedule { rows, plain };

struct Decision {
  std::string name;
  std::int64_t value = 0;
  std::string why;
};

struct Plan {
  Schedule schedule = Schedule::plain;
  std::vector<Decision> decisions;
  std::vector<std::string> declined;  // "rows declined: …"

  std::vector<int> shape;    // rows: what every tile spreads to
  std::vector<RowEnd> ends;  // rows: facts that the text relies on
  std::int64_t get(const std::string& name) const;
  std::string text() const;  // one line each
};

// Choices that no pass knows are left to others: a lambda's own choices have names too.
Plan make_plan(const Function& function, const Signature& signature);

// Why the rows schedule cannot take it, or nothing, with the shape of its rows.
std::optional<std::string> no_rows(const Function& function, std::vector<int>& shape);

// Elements in one access along the rows: the most that types, alignments and positions allow.
int vector_width(const Function& function, const Signature& signature,
                 const std::vector<int>& shape);

// The tensors whose alignment and gaps the plan has looked at.
std::vector<bool> placed_tensors(const Function& function, const Plan& plan);

// Of a block.
inline constexpr std::int64_t most_shared_bytes = tile::arch::limits_of(90).shared_per_block;
inline constexpr std::int64_t most_threads = tile::arch::limits_of(90).threads_per_block;

}  // namespace aisp::jit
