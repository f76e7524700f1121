#include "jit/trace/number.hpp"

#include <cmath>

namespace aisp::jit {

namespace {

bool whole(const Number& number) { return number.element() == Element::s32; }

}  // namespace

Number Number::to(Element element) const { return {converted(element, value_), element}; }

namespace detail {

Number computed(Opcode code, const Number& a) {
  if (code == Opcode::logical_not) return {a.is_true() ? 0.0 : 1.0, Element::boolean};
  const bool stays = (code == Opcode::neg || code == Opcode::abs) && whole(a);
  const Element element = stays ? Element::s32 : Element::f32;
  const double operands[] = {a.value()};
  return {apply(code, element, operands), element};
}

Number computed(Opcode code, const Number& a, const Number& b) {
  const Element meeting = whole(a) && whole(b) ? Element::s32 : Element::f32;
  const Family family = row_of(code).family;
  const bool condition = family == Family::compare || family == Family::logic;
  const double operands[] = {a.value(), b.value()};
  return {apply(code, condition ? Element::f32 : meeting, operands),
          condition ? Element::boolean : meeting};
}

}  // namespace detail

Number where(const Number& condition, const Number& a, const Number& b) {
  const bool conditions = a.element() == Element::boolean && b.element() == Element::boolean;
  const Element meeting = conditions             ? Element::boolean
                          : whole(a) && whole(b) ? Element::s32
                                                 : Element::f32;
  return {condition.is_true() ? a.value() : b.value(), meeting};
}

Number pow(const Number& x, const Number& exponent) {
  return {std::pow(x.value(), exponent.value()), Element::f32};
}
Number fma(const Number& a, const Number& b, const Number& c) {
  if (whole(a) && whole(b) && whole(c)) return a * b + c;
  return {std::fma(a.value(), b.value(), c.value()), Element::f32};
}

Number relu(const Number& x) { return max(x, 0); }
Number silu(const Number& x) { return x * sigmoid(x); }
Number gelu(const Number& x) { return x * 0.5 * erfc(x * -0.70710678118654752); }
Number gelu_tanh(const Number& x) {
  return x * sigmoid(x * (x * x * (0.044715 * 1.5957691216057308) + 1.5957691216057308));
}
Number softplus(const Number& x) { return max(x, 0.0) + log1p(exp(-abs(x))); }
Number reciprocal(const Number& x) { return 1.0 / x; }
Number square(const Number& x) { return x * x; }
Number sign(const Number& x) { return where(x > 0, 1, where(x < 0, -1, x)); }
Number clamp(const Number& x, const Number& least, const Number& most) {
  return min(max(x, least), most);
}
Number isnan(const Number& x) { return x != x; }
Number isinf(const Number& x) { return abs(x) == INFINITY; }
Number isfinite(const Number& x) { return abs(x) < INFINITY; }

}  // namespace aisp::jit
