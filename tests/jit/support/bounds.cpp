#include "tests/jit/support/bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "jit/ir/apply.hpp"
#include "jit/ir/evaluate.hpp"

namespace aisp::jit::testing {

namespace {

// The arithmetic of evaluate() on ranges.
class Ranges {
 public:
  using Number = Range;
  explicit Ranges(const Plan& plan) : plan_(plan) {}

  static Range exact(double number) { return only(number); }
  static Range constant(double number, Element element) {
    return is_integer(element) ? only(number) : rounded_or_not(only(number));
  }
  static std::int64_t integer(const Range& range) {
    if (!range.point())
      base::refuse(base::Exit::wrong, "a position or a block's condition is between ", range.low,
                   " and ", range.high);
    return static_cast<std::int64_t>(range.low);
  }

  static Range apply(Opcode code, Element element, std::span<const Range> operands) {
    return testing::apply(code, element, operands);
  }

  static Range converted(Range value, Element from, Element to) {
    if (to == Element::f32) return from == Element::s32 ? rounded_or_not(value) : value;
    if (to == Element::boolean) return testing::apply(Opcode::ne, from, std::array{value, only(0)});
    if (to == Element::s32 && !value.empty())
      value = {std::trunc(value.low), std::trunc(value.high), value.nan};
    return testing::rounded(value, to);
  }
  static Range rounded(const Range& value, Element element) {
    return testing::rounded(value, element);
  }

  // Blocks come in any order: the bound is that of all they add to this place.
  Range combined(const Range& stored, const Range& value, Reduction reduction, Element element) {
    if (reduction != Reduction::sum)
      return testing::apply(Opcode::max, element, std::array{stored, value});
    if (is_integer(element)) return testing::apply(Opcode::add, element, std::array{stored, value});
    auto& [sum, left] = added_[&stored];
    if (sum.numbers() == 0 || left.low != stored.low || left.high != stored.high) {
      sum = {};  // nothing was added yet, or it was written since
      sum.add(stored);
    }
    sum.add(value);
    const Range result = sum.with_roundings(std::max(sum.numbers() - 1, 0));
    left = rounded(result, element);
    return result;
  }

  static Range gathered(const std::vector<Range>& array, const Range& position) {
    const double last = static_cast<double>(array.size()) - 1;
    std::optional<Range> result;
    if (position.low < 0 || position.high > last) result = only(0);
    for (double at = std::max(position.low, 0.0); at <= std::min(position.high, last); ++at) {
      const Range& one = array[static_cast<std::size_t>(at)];
      result = result ? testing::either(*result, one) : one;
    }
    return *result;
  }

  Range reduced(const Reduced<Range>& row) const {
    if (row.reduction == Reduction::argmax) return largest(row);
    if (row.reduction == Reduction::sum && !is_integer(row.element)) {
      RangeSum sum;
      for (const Range& one : row.values) sum.add(one);
      return sum.with_roundings(std::clamp(sum.numbers() - 1, 0, additions(plan_, row.extent)));
    }
    Range best = only(neutral(row.reduction, row.element));
    for (const Range& one : row.values)
      best = testing::apply(combining(row.reduction), row.element, std::array{best, one});
    return best;
  }

  // Fused multiply-adds, one after the other, onto what is carried.
  static Range dot(Element element, const Range& carried, std::span<const Range> a,
                   std::span<const Range> b) {
    RangeSum sum;
    for (std::size_t at = 0; at < a.size(); ++at) sum.add(product(a[at], b[at]));
    const int roundings = is_integer(element) ? 0 : sum.numbers();
    sum.add(carried);
    return sum.with_roundings(roundings);
  }

 private:
  // From the first to the last element that may be the first of the largest; NaN counts as that.
  static Range largest(const Reduced<Range>& row) {
    const auto high = [](const Range& one) { return one.nan ? infinity : one.high; };
    Range result{infinity, -infinity};
    double least = -infinity;  // what the largest is at least
    for (const Range& one : row.values) least = std::max(least, one.empty() ? infinity : one.low);
    double before = -infinity;
    for (std::size_t at = 0; at < row.values.size(); ++at) {
      const Range& one = row.values[at];
      const bool first_may_be_larger = result.empty() || high(one) > before || one.nan;
      if (high(one) >= least && first_may_be_larger)
        result = testing::either(result, only(row.positions[at]));
      before = std::max(before, one.low);
    }
    return result.empty() ? only(0) : result;
  }

  const Plan& plan_;
  struct Added {
    RangeSum sum;
    Range left;
  };
  std::map<const Range*, Added> added_;
};

}  // namespace

int additions(const Plan& plan, int extent) {
  if (plan.schedule != Schedule::rows) return extent - 1;  // one thread, one after the other
  const auto vector = plan.get("vector"), threads = plan.get("threads_per_row");
  const auto own = (extent + vector * threads - 1) / (vector * threads) * vector - 1;
  const auto lanes = std::min<std::int64_t>(threads, 32), warps = threads / lanes;
  const auto doublings = [](std::int64_t count) {
    return std::bit_width(static_cast<std::uint64_t>(count)) - 1;
  };
  return static_cast<int>(own + doublings(lanes) + (warps > 8 ? doublings(warps) : warps - 1));
}

std::vector<RangeTensor> bounds(const Variant& variant, const std::vector<HostTensor>& given) {
  std::vector<RangeTensor> tensors;
  for (const HostTensor& tensor : given) {
    tensors.push_back({tensor.extents, {}});
    for (const double value : tensor.values) tensors.back().values.push_back(only(value));
  }
  Ranges arithmetic(variant.plan);
  evaluate(arithmetic, variant.traced, tensors);
  return tensors;
}

std::string first_outside(const std::vector<double>& got, const RangeTensor& right) {
  for (std::size_t at = 0; at < got.size(); ++at) {
    const Range& range = right.values.at(at);
    if (range.holds(got[at])) continue;
    std::ostringstream text;
    text.precision(9);
    text << "element " << at << ": " << got[at] << ", right is ";
    if (!range.empty()) text << range.low << " to " << range.high;
    if (range.nan) text << (range.empty() ? "NaN" : " or NaN");
    return text.str();
  }
  return "";
}

}  // namespace aisp::jit::testing
