// Where the numbers of a right kernel lie. A kernel computes in f32, rounding to nearest or (fused)
// not at all, and its functions err by what their documentation says: from the ranges of the
// operands follows the range of the result, which holds the float64 result too.
#pragma once

#include <limits>
#include <span>

#include "jit/ir/element.hpp"
#include "jit/ir/opcode.hpp"

namespace aisp::jit::testing {

// -0 comes before +0: with the ends of ranges ordered so, sums and products of the ends are the
// ends of sums and products, signs of zeros included.
bool comes_before(double a, double b);
double lower(double a, double b);
double higher(double a, double b);

// All numbers of [low, high], and NaN where `nan`; no number at all where low > high.
struct Range {
  double low = 0.0, high = 0.0;
  bool nan = false;

  bool empty() const { return low > high; }
  bool point() const { return low == high && !nan; }
  bool holds(double number) const;  // NaN too
  double size() const;              // the largest magnitude
};

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr Range not_a_number{infinity, -infinity, true};
inline constexpr Range anything{-infinity, infinity, true};
inline constexpr double f32_unit = 0x1p-24;  // the largest relative error of one rounding

Range only(double number);
Range either(const Range& a, const Range& b);  // and what lies between them
// As f32, or exact.
Range rounded_or_not(const Range& range);
// Rounded to the element, as stores and `to` do.
Range rounded(const Range& range, Element element);

// One operation by element: as apply() for numbers. A condition that may be either takes both.
Range apply(Opcode code, Element element, std::span<const Range> operands);
Range product(const Range& a, const Range& b);  // not rounded

// A sum in which no number passes more than `roundings` of them, in any order of that depth.
class RangeSum {
 public:
  void add(const Range& range);
  int numbers() const { return numbers_; }  // that may be other than 0
  Range with_roundings(int roundings) const;

 private:
  Range exact_;
  double size_ = 0.0;
  int numbers_ = 0;
};

}  // namespace aisp::jit::testing
