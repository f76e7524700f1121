// What a value of a score or mask function changes with.
#pragma once

#include <vector>

#include "jit/attention/position.hpp"

namespace aisp::jit {

namespace depends {
inline constexpr unsigned key = 1, query = 2, score = 4, head = 8, sequence = 16, lengths = 32,
                          memory = 64;
// None of these: one number for a tile of scores.
inline constexpr unsigned within_tile = key | query | score;
}  // namespace depends

// By value.
std::vector<unsigned> dependences(const Function& function);

}  // namespace aisp::jit
