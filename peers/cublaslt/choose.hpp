// Which of several ways to do the same work is the fastest, by the clock.
#pragma once

#include <cstddef>
#include <functional>

namespace aisp::peers {

// The index, below `count`, of the candidate with the smallest median of `milliseconds`. All are
// timed five times, the four fastest of them 15 times more, always in turns, so that a change of
// the clock's frequency meets all alike.
std::size_t choose_fastest(std::size_t count,
                           const std::function<float(std::size_t)>& milliseconds);

}  // namespace aisp::peers
