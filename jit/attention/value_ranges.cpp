#include "jit/attention/value_ranges.hpp"

#include <algorithm>
#include <cmath>

namespace aisp::jit {

namespace {

namespace interval = tile::interval;
using tile::Interval;

constexpr Interval any_integer{interval::least_int, interval::most_int};
constexpr double smallest_normal = 0x1p-126;
constexpr double slack = 1.001;  // of the kernel's approximations

class Ranges {
 public:
  Ranges(const Function& function, const PositionLimits& limits)
      : function_(function), ranges_(function.values.size(), interval::anything) {
    const auto given = [&](Given which, double least, double most) {
      ranges_[static_cast<std::size_t>(argument(function, which))] = {least, most};
    };
    given(Given::sequence, 0, limits.sequences);
    given(Given::head, 0, limits.heads);
    // The last query is beside the last key: with more queries than keys positions are negative.
    for (const Given query : {Given::query, Given::first_query})
      given(query, -limits.queries, limits.keys);
    for (const Given row : {Given::query_row, Given::first_query_row})
      given(row, 0, limits.query_rows);
    given(Given::key, 0, limits.keys);
    given(Given::key_row, 0, limits.key_rows);
    given(Given::queries, 0, limits.queries);
    given(Given::keys, 0, limits.keys);
    for (const Operation& one : function.body.body)
      if (one.results.size() == 1) ranges_[static_cast<std::size_t>(one.results[0])] = of(one);
  }

  std::vector<Interval> take() { return std::move(ranges_); }

 private:
  const Interval& at(Id id) const { return ranges_[static_cast<std::size_t>(id)]; }

  Interval of(const Operation& one) const {
    const Element element = function_.type(one.results[0]).element;
    if (element == Element::boolean && one.code != Opcode::constant) return {0, 1};
    return element == Element::s32 ? of_kind<true>(one) : of_kind<false>(one);
  }

  template <bool integer>
  Interval of_kind(const Operation& one) const {
    const Interval a = one.operands.empty() ? interval::anything : at(one.operands[0]);
    const Interval b = one.operands.size() < 2 ? interval::anything : at(one.operands[1]);
    switch (one.code) {
      case Opcode::constant: {
        const double number =
            rounded(function_.type(one.results[0]).element, one.attributes.number);
        return std::isfinite(number) ? interval::point(number) : interval::anything;
      }
      case Opcode::add:
        return interval::add<integer>(a, b);
      case Opcode::sub:
        return interval::sub<integer>(a, b);
      case Opcode::mul:
        return interval::mul<integer>(a, b);
      case Opcode::div:
        return interval::div<integer>(a, b);
      case Opcode::mod:
        return integer ? interval::mod(a, b) : interval::anything;
      case Opcode::neg:
        return interval::neg<integer>(a);
      case Opcode::abs:
        return interval::abs<integer>(a);
      case Opcode::min:
        return interval::min(a, b);
      case Opcode::max:
        return interval::max(a, b);
      case Opcode::where:
        return interval::hull(b, at(one.operands[2]));
      case Opcode::gather:
        return of_array(
            function_.parameters[static_cast<std::size_t>(one.attributes.integers[0])].element);
      case Opcode::to:
        return converted(one, a);
      default:
        return function(one.code, a);
    }
  }

  // What lies outside of the array reads as 0, which is among them.
  static Interval of_array(Element element) {
    return element == Element::s32  ? any_integer
           : element == Element::s8 ? Interval{-128, 127}
                                    : interval::anything;
  }

  static Interval function(Opcode code, Interval a) {
    if (!interval::finite(a)) return interval::anything;
    switch (code) {
      case Opcode::exp:
        return {0, a.most < 88 ? std::exp(a.most) * slack : interval::endless};
      case Opcode::exp2:
        return {0, a.most < 127 ? std::exp2(a.most) * slack : interval::endless};
      case Opcode::log:
        return a.least >= smallest_normal ? Interval{-88, 89} : interval::anything;
      case Opcode::sqrt:
        return a.least >= 0 ? Interval{0, std::sqrt(a.most) * slack} : interval::anything;
      case Opcode::rsqrt:
        return a.least >= smallest_normal ? Interval{0, slack / std::sqrt(a.least)}
                                          : interval::anything;
      case Opcode::tanh:
      case Opcode::erf:
      case Opcode::sigmoid:
        return {-slack, slack};
      default:
        return interval::anything;
    }
  }

  Interval converted(const Operation& one, Interval a) const {
    const Element from = function_.type(one.operands[0]).element, to = one.attributes.element;
    if (to == Element::s32) return from == Element::f32 ? interval::to_integer(a) : a;
    if (to == Element::f32) return from == Element::f32 ? a : interval::to_f32(a);
    // Rounded to something short: by an eighth of itself, or by one; f16 ends at 65504.
    const double size = std::max(std::fabs(a.least), std::fabs(a.most)) * 1.125 + 1;
    return interval::finite(a) && size < 60000 ? Interval{-size, size} : interval::anything;
  }

  const Function& function_;
  std::vector<Interval> ranges_;
};

}  // namespace

PositionLimits limits_of(const tile::device::AttentionProblem& p) {
  const auto rows = [](const void* packed, std::int64_t total, int own) {
    return static_cast<double>(packed != nullptr ? std::max<std::int64_t>(total, own) : own);
  };
  return {.sequences = static_cast<double>(p.batch),
          .heads = static_cast<double>(p.query_heads),
          .queries = static_cast<double>(p.query_rows),
          .keys = static_cast<double>(p.kv_rows),
          .query_rows = rows(p.query_starts, p.query_total, p.query_rows),
          .key_rows = rows(p.kv_starts, p.kv_total, p.kv_rows)};
}

std::vector<Interval> value_ranges(const Function& function, const PositionLimits& limits) {
  return Ranges(function, limits).take();
}

}  // namespace aisp::jit
