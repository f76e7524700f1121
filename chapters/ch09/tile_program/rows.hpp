// What the programs of this target have in common: which of them a problem is, and its extents.
#pragma once

#include <cstdint>

#include "lab/case/rung.hpp"

namespace aisp::ch09 {

enum class RowProgram { softmax, add, layernorm, cross_entropy };

constexpr auto names_of(RowProgram) {
  return std::to_array<lab::Name<RowProgram>>({{RowProgram::softmax, "softmax"},
                                               {RowProgram::add, "add"},
                                               {RowProgram::layernorm, "layernorm"},
                                               {RowProgram::cross_entropy, "cross_entropy"}});
}

inline RowProgram program_of(const lab::Problem& problem) {
  return lab::value_named<RowProgram>(problem.size.variant).value_or(RowProgram::softmax);
}

// Added to a row's variance, so that a constant row stays finite.
inline constexpr float layernorm_epsilon = 1e-5f;

}  // namespace aisp::ch09
