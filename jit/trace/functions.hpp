// The operators and functions of tile programs. Shapes spread as rows and columns do: axes are
// equal or 1, and a tile with fewer axes stands for the last ones.
#pragma once

#include <array>

#include "jit/ir/opcode.hpp"
#include "jit/trace/values.hpp"

namespace aisp::jit {

Tile operator+(Arg a, Arg b);
Tile operator-(Arg a, Arg b);
Tile operator*(Arg a, Arg b);
Tile operator/(Arg a, Arg b);
Tile operator%(Arg a, Arg b);
Tile operator<(Arg a, Arg b);
Tile operator<=(Arg a, Arg b);
Tile operator>(Arg a, Arg b);
Tile operator>=(Arg a, Arg b);
Tile operator==(Arg a, Arg b);
Tile operator!=(Arg a, Arg b);
Tile operator-(Arg a);
// Tiles themselves: as operands of an Arg they would be as good a match for the host's own.
Tile operator&&(const Tile& a, const Tile& b);
Tile operator||(const Tile& a, const Tile& b);
Tile operator!(const Tile& a);

Tile exp(Arg x);
Tile exp2(Arg x);
Tile log(Arg x);
Tile sqrt(Arg x);
Tile rsqrt(Arg x);
Tile tanh(Arg x);
Tile sigmoid(Arg x);
Tile erf(Arg x);
Tile abs(Arg x);
Tile where(Arg condition, Arg a, Arg b);

// By element. With an int behind it, max and min go along that axis: write max(v, 0.0) for numbers.
Tile max(Arg a, Arg b);
Tile min(Arg a, Arg b);

namespace detail {
Tile reduced(Arg x, int axis, Reduction reduction);
}  // namespace detail

// Along an axis, which stays with extent 1. Elements outside of their tensors take no part.
template <std::same_as<int> Axis>
Tile max(Arg x, Axis axis) {
  return detail::reduced(x, axis, Reduction::max);
}
template <std::same_as<int> Axis>
Tile min(Arg x, Axis axis) {
  return detail::reduced(x, axis, Reduction::min);
}
Tile sum(Arg x, int axis);
Tile any(Arg x, int axis);
Tile all(Arg x, int axis);
Tile argmax(Arg x, int axis);  // the first of equal ones

Tile zeros(Sizes extents, std::source_location at = std::source_location::current());
Tile full(Sizes extents, double number, std::source_location at = std::source_location::current());
Tile iota(Sizes extents, int axis, std::source_location at = std::source_location::current());
Tile to(Arg x, Element element);
Tile reshape(Arg x, Sizes extents);
Tile transpose(Arg x);  // the last two axes
Tile transpose(Arg x, std::vector<int> axes);
Tile broadcast(Arg x, Sizes extents);

// (m, k) x (k, n) -> (m, n) f32; s8 operands give s32.
Tile dot(Arg a, Arg b);
Tile dot(Arg a, Arg b, Arg sums);

// Index arithmetic. The three forms make it the better match than a tile's operators.
#define AISP_JIT_INDEX_OPERATOR(symbol)                  \
  Index operator symbol(const Index& a, const Index& b); \
  Index operator symbol(const Index& a, IndexArg b);     \
  Index operator symbol(IndexArg a, const Index& b);
AISP_JIT_INDEX_OPERATOR(+)
AISP_JIT_INDEX_OPERATOR(-)
AISP_JIT_INDEX_OPERATOR(*)
AISP_JIT_INDEX_OPERATOR(/)
AISP_JIT_INDEX_OPERATOR(%)
#undef AISP_JIT_INDEX_OPERATOR

}  // namespace aisp::jit
