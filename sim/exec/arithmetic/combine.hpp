// What setp and set do with the outcome of a comparison before it is written.
#pragma once

#include <cstdint>

#include "sim/machine/warp.hpp"
#include "sim/program/modifiers.hpp"

namespace aisp::sim {

enum class Combine : std::uint8_t { none, conjunction, disjunction, exclusive };

inline constexpr Word<Combine> combinations[] = {
    {"and", Combine::conjunction},
    {"or", Combine::disjunction},
    {"xor", Combine::exclusive},
};

// The outcome combined with the predicate c of the Op, which may be negated.
inline Mask combined(const Warp& warp, const Op& op, Combine how, bool negated, Mask outcome) {
  if (how == Combine::none) return outcome;
  const Mask operand = warp.predicate(op.c) ^ (negated ? all_lanes : 0);
  if (how == Combine::conjunction) return outcome & operand;
  return how == Combine::disjunction ? outcome | operand : outcome ^ operand;
}

}  // namespace aisp::sim
