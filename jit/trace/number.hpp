// A number of the host that is computed with as a traced value is: the same operators and
// functions, the same rules of where integers stay integers, in float64. A generic lambda that is
// traced into a kernel is its own reference when it is called with these.
#pragma once

#include <concepts>

#include "jit/ir/apply.hpp"

namespace aisp::jit {

class Number {
 public:
  template <std::integral Value>
  Number(Value value)
      : value_(static_cast<double>(value)),
        element_(std::same_as<Value, bool> ? Element::boolean : Element::s32) {}
  template <std::floating_point Value>
  Number(Value value) : value_(static_cast<double>(value)), element_(Element::f32) {}
  Number(double value, Element element) : value_(value), element_(element) {}

  double value() const { return value_; }
  Element element() const { return element_; }
  bool is_true() const { return value_ != 0.0; }
  Number to(Element element) const;

  // The same refusal as a traced value's: the lambda is to be traced, too.
  template <class Never = void>
  explicit operator bool() const {
    static_assert(!std::same_as<Never, Never>,
                  "a value of a traced function has no truth on the host: choose with "
                  "where(condition, a, b)");
    return false;
  }

 private:
  double value_;
  Element element_;
};

namespace detail {
Number computed(Opcode code, const Number& a);
Number computed(Opcode code, const Number& a, const Number& b);

// References ask for this a thousand million times: what is the same whatever the type, and
// integers that do not wrap, need no table.
template <Opcode code>
[[gnu::always_inline]] inline Number quickly(const Number& a, const Number& b) {
  const double x = a.value(), y = b.value();
  switch (code) {
    case Opcode::lt:
      return {x < y ? 1.0 : 0.0, Element::boolean};
    case Opcode::le:
      return {x <= y ? 1.0 : 0.0, Element::boolean};
    case Opcode::gt:
      return {x > y ? 1.0 : 0.0, Element::boolean};
    case Opcode::ge:
      return {x >= y ? 1.0 : 0.0, Element::boolean};
    case Opcode::eq:
      return {x == y ? 1.0 : 0.0, Element::boolean};
    case Opcode::logical_and:
      return {x != 0 && y != 0 ? 1.0 : 0.0, Element::boolean};
    case Opcode::logical_or:
      return {x != 0 || y != 0 ? 1.0 : 0.0, Element::boolean};
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul: {
      const bool whole = a.element() == Element::s32 && b.element() == Element::s32;
      const double result = code == Opcode::add ? x + y : code == Opcode::sub ? x - y : x * y;
      if (!whole || (result > -0x1p31 && result < 0x1p31))
        return {whole ? result + 0.0 : result,  // 0 * -1 is no -0 for integers
                whole ? Element::s32 : Element::f32};
      break;
    }
    default:
      break;
  }
  return computed(code, a, b);
}
template <class T>
concept Operand = std::integral<T> || std::floating_point<T> || std::same_as<T, Number>;
// One of the two is a Number: nothing here takes part in the host's own arithmetic.
template <class A, class B>
concept Operands = Operand<A> && Operand<B> &&(std::same_as<A, Number> || std::same_as<B, Number>);
}  // namespace detail

#define AISP_JIT_NUMBER_BINARY(name, code)                            \
  template <class A, class B>                                         \
  requires detail::Operands<A, B>                                     \
  [[gnu::always_inline]] inline Number name(const A& a, const B& b) { \
    return detail::quickly<Opcode::code>(Number(a), Number(b));       \
  }
AISP_JIT_NUMBER_BINARY(operator+, add)
AISP_JIT_NUMBER_BINARY(operator-, sub)
AISP_JIT_NUMBER_BINARY(operator*, mul)
AISP_JIT_NUMBER_BINARY(operator/, div)
AISP_JIT_NUMBER_BINARY(operator%, mod)
AISP_JIT_NUMBER_BINARY(operator<, lt)
AISP_JIT_NUMBER_BINARY(operator<=, le)
AISP_JIT_NUMBER_BINARY(operator>, gt)
AISP_JIT_NUMBER_BINARY(operator>=, ge)
AISP_JIT_NUMBER_BINARY(operator==, eq)
AISP_JIT_NUMBER_BINARY(operator!=, ne)
AISP_JIT_NUMBER_BINARY(operator&&, logical_and)
AISP_JIT_NUMBER_BINARY(operator||, logical_or)
AISP_JIT_NUMBER_BINARY(max, max)
AISP_JIT_NUMBER_BINARY(min, min)
#undef AISP_JIT_NUMBER_BINARY

#define AISP_JIT_NUMBER_UNARY(name, code) \
  inline Number name(const Number& x) { return detail::computed(Opcode::code, x); }
AISP_JIT_NUMBER_UNARY(operator-, neg)
AISP_JIT_NUMBER_UNARY(operator!, logical_not)
AISP_JIT_NUMBER_UNARY(abs, abs)
AISP_JIT_NUMBER_UNARY(exp, exp)
AISP_JIT_NUMBER_UNARY(exp2, exp2)
AISP_JIT_NUMBER_UNARY(log, log)
AISP_JIT_NUMBER_UNARY(log2, log2)
AISP_JIT_NUMBER_UNARY(log1p, log1p)
AISP_JIT_NUMBER_UNARY(expm1, expm1)
AISP_JIT_NUMBER_UNARY(sqrt, sqrt)
AISP_JIT_NUMBER_UNARY(rsqrt, rsqrt)
AISP_JIT_NUMBER_UNARY(tanh, tanh)
AISP_JIT_NUMBER_UNARY(sigmoid, sigmoid)
AISP_JIT_NUMBER_UNARY(erf, erf)
AISP_JIT_NUMBER_UNARY(erfc, erfc)
AISP_JIT_NUMBER_UNARY(sin, sin)
AISP_JIT_NUMBER_UNARY(cos, cos)
AISP_JIT_NUMBER_UNARY(floor, floor)
AISP_JIT_NUMBER_UNARY(ceil, ceil)
AISP_JIT_NUMBER_UNARY(round, round)
AISP_JIT_NUMBER_UNARY(trunc, trunc)
#undef AISP_JIT_NUMBER_UNARY

inline Number to(const Number& x, Element element) { return x.to(element); }
Number where(const Number& condition, const Number& a, const Number& b);
Number pow(const Number& x, const Number& exponent);
Number fma(const Number& a, const Number& b, const Number& c);

// As jit/trace/derived.hpp has them.
Number relu(const Number& x);
Number silu(const Number& x);
Number gelu(const Number& x);
Number gelu_tanh(const Number& x);
Number softplus(const Number& x);
Number reciprocal(const Number& x);
Number square(const Number& x);
Number sign(const Number& x);
Number clamp(const Number& x, const Number& least, const Number& most);
Number isnan(const Number& x);
Number isinf(const Number& x);
Number isfinite(const Number& x);

}  // namespace aisp::jit
