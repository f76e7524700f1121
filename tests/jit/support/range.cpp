#include "tests/jit/support/range.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

#include "base/number/format.hpp"
#include "jit/ir/apply.hpp"

namespace aisp::jit::testing {

namespace {

double nearest(double number) {
  return std::fabs(number) <= FLT_MAX ? static_cast<double>(static_cast<float>(number))
                                      : jit::rounded(Element::f32, number);
}

// Ends of ranges are float64: where `rest`, what a result lacks, has the wrong sign, one step on.
double down(double result, double rest) {
  return rest < 0 ? std::nextafter(result, -infinity) : result;
}
double up(double result, double rest) {
  return rest > 0 ? std::nextafter(result, infinity) : result;
}
double sum_rest(double a, double b, double sum) {
  const double from_b = sum - a;
  return (a - (sum - from_b)) + (b - from_b);
}
// Float64 functions of the host err by an ulp or two.
double host_slack(double result) { return std::isinf(result) ? 0.0 : std::fabs(result) * 0x1p-51; }
double host_down(double result) { return result - host_slack(result); }
double host_up(double result) { return result + host_slack(result); }

bool holds_zero(const Range& a) { return a.low <= 0 && a.high >= 0; }
bool is_one_zero(const Range& a) {
  return a.point() && a.low == 0 && std::signbit(a.low) == std::signbit(a.high);
}

Range sum(const Range& a, const Range& b) {
  if ((a.high == infinity && b.low == -infinity) || (a.low == -infinity && b.high == infinity))
    return a.point() && b.point() ? not_a_number : anything;
  const double low = a.low + b.low, high = a.high + b.high;
  return {down(low, sum_rest(a.low, b.low, low)), up(high, sum_rest(a.high, b.high, high)),
          a.nan || b.nan};
}

Range negative(const Range& a) { return {-a.high, -a.low, a.nan}; }

Range absolute(const Range& a) {
  const double least = holds_zero(a) ? 0.0 : std::min(std::fabs(a.low), std::fabs(a.high));
  return {least, a.size(), a.nan};
}

// 1 / a, not rounded.
Range reciprocal(const Range& a) {
  if (is_one_zero(a)) return {1 / a.low, 1 / a.low};
  if (holds_zero(a)) return anything;
  const auto rest = [](double x, double of) { return std::fma(-of, x, 1.0) / x; };
  const double low = 1 / a.high, high = 1 / a.low;
  return {down(low, rest(a.high, low)), up(high, rest(a.low, high)), a.nan};
}

// Kernels divide by way of the reciprocal, scaled so that it is a normal number.
Range quotient(const Range& a, const Range& b) {
  const auto rounded_normal = [](double number) {
    int exponent = 0;
    const double fraction = std::frexp(number, &exponent);
    return std::isfinite(number) ? std::ldexp(nearest(fraction), exponent) : number;
  };
  Range inverse = reciprocal(b);
  inverse.low = lower(inverse.low, rounded_normal(inverse.low));
  inverse.high = higher(inverse.high, rounded_normal(inverse.high));
  return product(a, inverse);
}

// ex2.approx.ftz.f32: a relative error of 2^-22; what is no normal number becomes 0.
Range power_of_two(const Range& a) {
  constexpr double error = 0x1p-22;
  const double low = host_down(std::exp2(a.low)) * (1 - error);
  const double high = host_up(std::exp2(a.high)) * (1 + error);
  return {low < FLT_MIN ? 0.0 : low, std::max(high, nearest(high)), a.nan};
}

// By a product with log2(e) as f32; the true function is in it, however large the exponent.
Range exponential(const Range& a) {
  const Range computed =
      power_of_two(rounded_or_not(product(a, only(nearest(1.4426950408889634)))));
  return {std::min(computed.low, host_down(std::exp(a.low))),
          std::max(computed.high, host_up(std::exp(a.high))), a.nan || computed.nan};
}

Range square_root(const Range& a) {  // correctly rounded
  if (a.high < 0) return not_a_number;
  const double low = std::sqrt(a.low < 0 ? -0.0 : a.low), high = std::sqrt(a.high);
  return rounded_or_not({down(low, std::fma(-low, low, a.low)),
                         up(high, std::fma(-high, high, a.high)), a.nan || a.low < 0});
}

// A function of CUDA's library that errs by so many ulp of the correctly rounded result. An ulp
// behind the next power of two is twice as large.
double library_end(double result, int ulp, int sign) {
  const double right = nearest(sign < 0 ? host_down(result) : host_up(result));
  const double reached = std::fabs(right) + ulp * base::ulp(base::f32, right);
  return right + sign * ulp * base::ulp(base::f32, reached);
}
Range library(Opcode code, double of_low, double of_high, int ulp, bool nan) {
  const double low = jit::apply(code, Element::f32, {of_low});
  const double high = jit::apply(code, Element::f32, {of_high});
  return {library_end(low, ulp, -1), library_end(high, ulp, 1), nan};
}

Range function(Opcode code, const Range& a) {
  switch (code) {
    case Opcode::neg:
      return negative(a);
    case Opcode::abs:
      return absolute(a);
    case Opcode::exp:
      return exponential(a);
    case Opcode::exp2:
      return power_of_two(a);
    case Opcode::sigmoid:
      return rounded_or_not(reciprocal(rounded_or_not(sum(only(1), exponential(negative(a))))));
    case Opcode::sqrt:
      return square_root(a);
    // Maximum errors of the CUDA programming guide's table of single-precision functions.
    case Opcode::log:
      if (a.high < 0) return not_a_number;
      return library(code, std::max(a.low, 0.0), a.high, 1, a.nan || a.low < 0);
    case Opcode::rsqrt:
      if (a.high < 0) return not_a_number;
      if (a.low <= 0 && !is_one_zero(a)) return anything;
      return library(code, a.high, a.low, 2, a.nan);
    default:  // tanh, erf
      return library(code, a.low, a.high, 2, a.nan);
  }
}

Range smaller(const Range& a, const Range& b) {
  return {lower(a.low, b.low), lower(a.high, b.high), a.nan || b.nan};
}

constexpr Range integers{-0x1p31, 0x1p31 - 1};

// Exact; where it may wrap, any integer.
Range integer(Opcode code, std::span<const Range> of) {
  const auto exact = [&]() -> Range {
    switch (code) {
      case Opcode::add:
        return sum(of[0], of[1]);
      case Opcode::sub:
        return sum(of[0], negative(of[1]));
      case Opcode::mul:
        return product(of[0], of[1]);
      case Opcode::neg:
        return negative(of[0]);
      case Opcode::abs:
        return absolute(of[0]);
      default:
        break;
    }
    const double divisor = of[1].low, most = std::fabs(divisor) - 1;
    if (!of[1].point() || std::fabs(divisor) < 2) return integers;
    if (code == Opcode::mod) return {-most, most};
    const double one = std::trunc(of[0].low / divisor), other = std::trunc(of[0].high / divisor);
    return {std::min(one, other), std::max(one, other)};
  }();
  if (exact.low < integers.low || exact.high > integers.high) return integers;
  return {exact.low + 0.0, exact.high + 0.0};  // integers have one zero
}

Range arithmetic(Opcode code, const Range& a, const Range& b) {
  switch (code) {
    case Opcode::add:
      return rounded_or_not(sum(a, b));
    case Opcode::sub:
      return rounded_or_not(sum(a, negative(b)));
    case Opcode::mul:
      return rounded_or_not(product(a, b));
    default:
      return rounded_or_not(quotient(a, b));
  }
}

Range truth(bool always, bool sometimes) { return {always ? 1.0 : 0.0, sometimes ? 1.0 : 0.0}; }

Range compared(Opcode code, const Range& a, const Range& b) {
  if (code == Opcode::gt || code == Opcode::ge)
    return compared(code == Opcode::gt ? Opcode::lt : Opcode::le, b, a);
  if (code == Opcode::ne) {
    const Range equal = compared(Opcode::eq, a, b);
    return {1 - equal.high, 1 - equal.low};
  }
  const bool number = !a.empty() && !b.empty(), nan = a.nan || b.nan;  // NaN: none of them holds
  if (code == Opcode::eq)
    return truth(!nan && a.point() && b.point() && a.low == b.low,
                 number && a.low <= b.high && b.low <= a.high);
  return code == Opcode::lt ? truth(!nan && a.high < b.low, number && a.low < b.high)
                            : truth(!nan && a.high <= b.low, number && a.low <= b.high);
}

}  // namespace

bool comes_before(double a, double b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
double lower(double a, double b) { return comes_before(b, a) ? b : a; }
double higher(double a, double b) { return comes_before(a, b) ? b : a; }

bool Range::holds(double number) const {
  return std::isnan(number) ? nan : !comes_before(number, low) && !comes_before(high, number);
}
double Range::size() const { return std::max(std::fabs(low), std::fabs(high)); }

Range only(double number) { return std::isnan(number) ? not_a_number : Range{number, number}; }

Range either(const Range& a, const Range& b) {
  return {lower(a.low, b.low), higher(a.high, b.high), a.nan || b.nan};
}

Range rounded_or_not(const Range& range) {
  if (range.empty()) return range;
  return {lower(range.low, nearest(range.low)), higher(range.high, nearest(range.high)), range.nan};
}

Range rounded(const Range& range, Element element) {
  Range result{jit::rounded(element, range.low), jit::rounded(element, range.high), range.nan};
  if (range.empty()) result = range;
  if (element == Element::tf32 && !range.empty()) {  // cvt.rna: of a tie, the larger one
    const auto away = [](double number) {
      return jit::rounded(Element::tf32,
                          number + std::copysign(std::fabs(number) * 0x1p-40, number));
    };
    result = either(result, {away(range.low), away(range.high), range.nan});
  }
  if (!range.nan || !(is_integer(element) || element == Element::boolean)) return result;
  const double of_nan = jit::rounded(element, std::nan(""));
  return {std::min(result.low, of_nan), std::max(result.high, of_nan)};
}

Range product(const Range& a, const Range& b) {
  if (a.empty() || b.empty()) return not_a_number;
  if ((std::isinf(a.size()) && holds_zero(b)) || (std::isinf(b.size()) && holds_zero(a)))
    return a.point() && b.point() ? not_a_number : anything;
  Range result{infinity, -infinity, a.nan || b.nan};
  for (const double x : {a.low, a.high})
    for (const double y : {b.low, b.high}) {
      const double corner = x * y, rest = std::fma(x, y, -corner);
      result.low = lower(result.low, down(corner, rest));
      result.high = higher(result.high, up(corner, rest));
    }
  return result;
}

Range apply(Opcode code, Element element, std::span<const Range> of) {
  if (code == Opcode::where)
    return of[0].low != 0 ? of[1] : of[0].high == 0 ? of[2] : either(of[1], of[2]);
  if (code == Opcode::logical_not) return {1 - of[0].high, 1 - of[0].low};
  if (code == Opcode::logical_and) return smaller(of[0], of[1]);
  if (code == Opcode::logical_or) return negative(smaller(negative(of[0]), negative(of[1])));
  if (row_of(code).family == Family::compare) return compared(code, of[0], of[1]);
  if (std::any_of(of.begin(), of.end(), [](const Range& one) { return one.empty(); }))
    return not_a_number;
  if (code == Opcode::min) return smaller(of[0], of[1]);
  if (code == Opcode::max) return negative(smaller(negative(of[0]), negative(of[1])));
  if (!is_integer(element))
    return of.size() == 1 ? function(code, of[0]) : arithmetic(code, of[0], of[1]);
  std::array<double, 2> points{};
  bool all = true;
  for (std::size_t at = 0; at < of.size(); ++at) {
    points[at] = of[at].low;
    all = all && of[at].point();
  }
  if (all) return only(jit::apply(code, element, std::span(points).first(of.size())));
  return integer(code, of);
}

void RangeSum::add(const Range& range) {
  if (range.point() && range.low == 0) return;
  if (exact_.empty() || range.empty())
    exact_ = not_a_number;
  else
    exact_ = sum(exact_, range);
  size_ += range.empty() ? infinity : range.size();
  ++numbers_;
}

// Higham's bound: d roundings of relative size u are one of d u / (1 - d u).
Range RangeSum::with_roundings(int roundings) const {
  if (roundings == 0 || !std::isfinite(size_)) return exact_;
  const double relative = roundings * f32_unit / (1 - roundings * f32_unit);
  const double error = host_up(size_ * relative);
  if (size_ + error > FLT_MAX) return anything;  // on the way, too
  return {exact_.low - error, exact_.high + error, exact_.nan};
}

}  // namespace aisp::jit::testing
