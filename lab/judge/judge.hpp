// Compares what a rung wrote with the float64 reference: every element, NaN always wrong unless the
// reference is NaN too, and one line that says what is wrong and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lab/case/case.hpp"
#include "lab/judge/poison.hpp"

namespace aisp::lab {

struct Judgement {
  bool right = true;
  std::int64_t elements = 0, wrong = 0;
  // Largest |got - want| in ulp of the output's type at |want|, and |got - want| / |want| of the
  // whole tensor in the Euclidean norm (of |got - want| alone where the reference is all zero).
  // Both over the elements where both numbers are finite, so that they can be stored and plotted;
  // other mismatches are counted in `wrong` and told in the report.
  double worst_ulp = 0, relative_norm = 0;
  std::string report{};
};

// An element is right when |got - want| <= absolute + relative * |want|. Numbers beyond the type:
// where the type saturates (fp8) the reference is clamped to its largest number first; elsewhere an
// infinity of the right sign stands for every value that overflows within the tolerance.
Judgement judge(const Tensor& what, std::span<const std::byte> got, std::span<const double> want,
                const Tolerance& tolerance);

// The same with a bound for every element: |got - want| <= allowed[i].
Judgement judge(const Tensor& what, std::span<const std::byte> got, std::span<const double> want,
                std::span<const double> allowed);

// One judgement over several outputs: counts added, the worst errors, and the reports of the wrong
// outputs (of all where none is wrong).
Judgement judge_all(std::span<const Judgement> outputs);

}  // namespace aisp::lab
