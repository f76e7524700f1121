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
Tile expm1(Arg x);
Tile log(Arg x);
Tile log2(Arg x);
Tile log1p(Arg x);
Tile sqrt(Arg x);
Tile rsqrt(Arg x);
Tile tanh(Arg x);
Tile sigmoid(Arg x);
Tile erf(Arg x);
Tile erfc(Arg x);
Tile sin(Arg x);
Tile cos(Arg x);
Tile floor(Arg x);
Tile ceil(Arg x);
Tile round(Arg x);  // to nearest even
Tile trunc(Arg x);
Tile abs(Arg x);
Tile pow(Arg x, Arg exponent);
Tile fma(Arg a, Arg b, Arg c);  // a * b + c, rounded once
Tile where(Arg condition, Arg a, Arg b);

Tile max(Arg a, Arg b);
Tile min(Arg a, Arg b);

// Along an axis, which stays with extent 1: sum(v, axis(1)). Elements outside of their tensors take
// no part.
Tile sum(Arg x, Axis axis);
Tile prod(Arg x, Axis axis);
Tile max(Arg x, Axis axis);
Tile min(Arg x, Axis axis);
Tile any(Arg x, Axis axis);
Tile all(Arg x, Axis axis);
Tile argmax(Arg x, Axis axis);  // the first of equal ones
Tile argmin(Arg x, Axis axis);

// A plain integer where an axis is needed does not compile, with the way to write it.
#define AISP_JIT_NEEDS_AXIS(name)                                                           \
  template <std::integral Number>                                                           \
  Tile name(Arg x, Number) {                                                                \
    static_assert(detail::never<Number>, #name " goes along an axis: write " #name          \
                                               "(v, axis(1)), or axis(-1) for the last; a " \
                                               "plain integer is a number");                \
    return sum(x, axis(0));                                                                 \
  }
AISP_JIT_NEEDS_AXIS(sum)
AISP_JIT_NEEDS_AXIS(prod)
AISP_JIT_NEEDS_AXIS(any)
AISP_JIT_NEEDS_AXIS(all)
AISP_JIT_NEEDS_AXIS(argmax)
AISP_JIT_NEEDS_AXIS(argmin)

Tile zeros(Sizes extents, std::source_location at = std::source_location::current());
Tile full(Sizes extents, double number, std::source_location at = std::source_location::current());
// The position of each element along the axis, s32.
Tile iota(Sizes extents, Axis axis, std::source_location at = std::source_location::current());
template <std::integral Number>
Tile iota(Sizes, Number) {
  static_assert(detail::never<Number>,
                "iota counts along an axis: write iota({1, n}, axis(1)); a plain integer is a "
                "number");
  return zeros({1});
}
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
