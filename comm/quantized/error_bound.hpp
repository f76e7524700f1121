// How far the sum of a quantised exchange may be off, for every element, from the scales of the
// blocks that it goes through. With
//   x_r      what rank r brings; o, the owner of the element's segment, adds up what it gets
//   s_r      the scale of the block of rank r that the element is in (block_codes.hpp)
//   h(v)     half the distance of the codes around v = number / scale: 1/2 for int8; for e4m3 half
//            a unit in the last of its four places, at least 2^-10
//   u        2^-24, the largest relative error of one f32 operation; its result is exact, or off by
//            at most t = 2^-150, where it is subnormal
// the steps are
//   1. Rank r != o finds code c_r next to x_r / s_r, by the rounded reciprocal of s_r: what is
//      rounded is off by 2u |x_r / s_r| at most. So |c_r s_r - x_r| <= e_r, with
//      e_r = s_r h(x_r / s_r) + 2u |x_r|, where h is taken a relative 4u above.
//   2. The owner makes f32 of c_r s_r: off by u |c_r s_r| + t.
//   3. It adds these to its own x_o, which is as it was, in R - 1 sums. All of them are at most
//      A = |x_o| + sum of (|x_r| + e_r), up to (1 + u)^R, so they are off by (R - 1) u A.
//      With y the exact sum, the f32 sum is within E = sum of e_r + R u A (1 + 2^-10) + R t of y.
//   4. It is quantised once more, as in 1, with the scale s of the block of sums. What s will be
//      is not known, but no sum in the block is more than the largest |y| + E: s is at most the
//      scale of that, S, and the step adds  S / 2 (int8)  or  max((|y| + E) / 16, S 2^-10) (e4m3:
//      a number has four places whatever the scale), and 2u (|y| + E).
//   5. Every rank, the owner too, makes f32 of it: u (|y| + E) and t.
// The bound is E and what 4 and 5 add. It is nan where the element must come out as NaN, because a
// number of its block is not finite on some rank, and infinity where the sum may leave f32.
#pragma once

#include <span>

#include "comm/quantized/block_codes.hpp"

namespace aisp::comm {

// Elements of the segment that one rank adds up; that of the last ranks may be shorter or empty.
constexpr std::int64_t segment_elements(std::int64_t count, int ranks) {
  return rounded_up((count + ranks - 1) / ranks, block_elements);
}

// inputs[r] are rank r's numbers, bound.size() each. One rank alone sends nothing: 0 everywhere.
void quantized_error(Codes codes, std::span<const float* const> inputs, std::span<double> bound);

}  // namespace aisp::comm
