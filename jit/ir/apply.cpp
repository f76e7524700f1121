// One element's arithmetic. Integers wrap as 32-bit registers do; a quotient by zero is 0.
#include "jit/ir/apply.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace aisp::jit {

namespace {

double wrapped(double value) {
  return static_cast<std::int32_t>(
      static_cast<std::uint32_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))));
}

double integer_quotient(double a, double b) { return b == 0 ? 0.0 : std::trunc(a / b); }

// NaN where either is, and -0 is less than +0: as max.NaN.f32 of the kernels has it.
double least(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return b < a ? b : a;
}

double unary(Opcode code, double x) {
  switch (code) {
    case Opcode::neg:
      return -x;
    case Opcode::abs:
      return std::fabs(x);
    case Opcode::exp:
      return std::exp(x);
    case Opcode::exp2:
      return std::exp2(x);
    case Opcode::log:
      return std::log(x);
    case Opcode::log2:
      return std::log2(x);
    case Opcode::log1p:
      return std::log1p(x);
    case Opcode::expm1:
      return std::expm1(x);
    case Opcode::sqrt:
      return std::sqrt(x);
    case Opcode::rsqrt:
      return 1.0 / std::sqrt(x);
    case Opcode::tanh:
      return std::tanh(x);
    case Opcode::sigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case Opcode::erf:
      return std::erf(x);
    case Opcode::erfc:
      return std::erfc(x);
    case Opcode::sin:
      return std::sin(x);
    case Opcode::cos:
      return std::cos(x);
    case Opcode::floor:
      return std::floor(x);
    case Opcode::ceil:
      return std::ceil(x);
    case Opcode::round:
      return std::nearbyint(x);  // to nearest even
    case Opcode::trunc:
      return std::trunc(x);
    default:
      return x == 0.0 ? 1.0 : 0.0;  // not
  }
}

double binary(Opcode code, bool integer, double a, double b) {
  switch (code) {
    case Opcode::add:
      return a + b;
    case Opcode::sub:
      return a - b;
    case Opcode::mul:
      return a * b;
    case Opcode::div:
      return integer ? integer_quotient(a, b) : a / b;
    case Opcode::mod:
      return b == 0 ? 0.0 : a - b * integer_quotient(a, b);
    case Opcode::min:
      return least(a, b);
    case Opcode::max:
      return -least(-a, -b);
    case Opcode::pow:
      return std::pow(a, b);
    case Opcode::lt:
      return a < b;
    case Opcode::le:
      return a <= b;
    case Opcode::gt:
      return a > b;
    case Opcode::ge:
      return a >= b;
    case Opcode::eq:
      return a == b;
    case Opcode::ne:
      return a != b;
    case Opcode::logical_and:
      return a != 0 && b != 0;
    default:
      return a != 0 || b != 0;
  }
}

}  // namespace

double apply(Opcode code, Element element, std::span<const double> operands) {
  if (code == Opcode::where) return operands[0] != 0.0 ? operands[1] : operands[2];
  if (code == Opcode::fma) return std::fma(operands[0], operands[1], operands[2]);
  const bool integer = element == Element::s32;
  const double result = operands.size() == 1 ? unary(code, operands[0])
                                             : binary(code, integer, operands[0], operands[1]);
  if (!integer || row_of(code).family == Family::compare) return result;
  // Products of two 32-bit numbers do not fit a double: their low bits are taken from integers.
  if (code == Opcode::mul)
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(
        static_cast<std::uint64_t>(static_cast<std::int64_t>(operands[0])) *
        static_cast<std::uint64_t>(static_cast<std::int64_t>(operands[1]))));
  return wrapped(result);
}

double neutral(Reduction reduction, Element element) {
  const double most =
      element == Element::s32 ? 0x1p31 - 1 : std::numeric_limits<double>::infinity();
  const double least = element == Element::s32 ? -0x1p31 : -most;
  switch (reduction) {
    case Reduction::max:
    case Reduction::argmax:
      return least;
    case Reduction::min:
      return most;
    case Reduction::all:
    case Reduction::prod:
      return 1.0;
    default:
      return 0.0;
  }
}

Opcode combining(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return Opcode::add;
    case Reduction::prod:
      return Opcode::mul;
    case Reduction::min:
      return Opcode::min;
    case Reduction::any:
      return Opcode::logical_or;
    case Reduction::all:
      return Opcode::logical_and;
    default:
      return Opcode::max;
  }
}

}  // namespace aisp::jit
