// The work of this roof: y <- a * y + b, `steps` times. Elements are cut into `chains` equal parts;
// the elements at one place of all parts share a thread and its a and b (pairs of them in fp16).
// With |a| <= 3/4 the map contracts: old rounding errors die out, and values stay below 4.
#pragma once

#include <cstdint>

namespace aisp::roof {

inline constexpr int chains = 8;
inline constexpr double largest_factor = 0.75;

// Which of the elements / chains a and b an element uses.
constexpr std::int64_t coefficient_of(std::int64_t element, std::int64_t elements) {
  return element % (elements / chains);
}

}  // namespace aisp::roof
