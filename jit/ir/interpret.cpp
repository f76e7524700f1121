#include "jit/ir/interpret.hpp"

#include <cmath>

#include "jit/ir/apply.hpp"
#include "jit/ir/evaluate.hpp"

namespace aisp::jit {

namespace {

// Float64 numbers; integers and truths too.
struct Float64 {
  using Number = double;

  static double exact(double number) { return number; }
  static double constant(double number, Element) { return number; }
  static std::int64_t integer(double number) { return static_cast<std::int64_t>(number); }

  static double apply(Opcode code, Element element, std::span<const double> operands) {
    return jit::apply(code, element, operands);
  }

  static double converted(double value, Element, Element to) {
    return to == Element::f32 ? value : jit::converted(to, value);
  }
  static double rounded(double value, Element element) { return jit::rounded(element, value); }

  static double combined(double stored, double value, Reduction reduction, Element element) {
    return jit::apply(combining(reduction), element, {stored, value});
  }

  static double gathered(const std::vector<double>& array, double position) {
    const bool there = position >= 0 && position < static_cast<double>(array.size());
    return there ? array[static_cast<std::size_t>(position)] : 0.0;
  }

  static double reduced(const Reduced<double>& row) {
    double best = neutral(row.reduction, row.element);
    int where = row.positions.empty() ? 0 : row.positions[0];
    for (std::size_t at = 0; at < row.values.size(); ++at) {
      const double value = row.values[at];
      if (row.reduction != Reduction::argmax) {
        best = jit::apply(combining(row.reduction), row.element, {best, value});
      } else if (value > best || (std::isnan(value) && !std::isnan(best))) {
        best = value;  // the first of equal ones; a NaN is larger than any number
        where = row.positions[at];
      }
    }
    return row.reduction == Reduction::argmax ? where : best;
  }

  static double dot(Element, double sum, std::span<const double> a, std::span<const double> b) {
    for (std::size_t at = 0; at < a.size(); ++at) sum += a[at] * b[at];
    return sum;
  }
};

}  // namespace

void interpret(const Function& function, std::vector<HostTensor>& tensors) {
  Float64 arithmetic;
  evaluate(arithmetic, function, tensors);
}

}  // namespace aisp::jit
