// A contraction of two dense bf16 tensors as a problem, stated as einsum does: "bhsd,hde->bse" sums
// over what is left of the arrow only.
#pragma once

#include <map>
#include <string>

#include "lab/case/case.hpp"

namespace aisp::lab {

struct ContractionShape {
  std::string a{}, b{}, d{};  // the modes of the tensors
  std::map<char, std::int64_t> extents{};

  std::vector<std::int64_t> shape_of(const std::string& modes) const;
  // Of the modes together.
  std::int64_t count(const std::string& modes) const;
  std::string summed() const;
};

// `letters` names the extents of size.dims, one after another.
ContractionShape contraction_shape(const std::string& expression, const std::string& letters,
                                   const Size& size);

// Inputs a and b uniform in [-1, 1], output d, sums in f32. Refuses (Exit::usage) tensors whose
// contiguous mode is no multiple of 8 (16 bytes) and extents over 2^19.
Problem contraction_problem(const std::string& target, const Size& size,
                            const ContractionShape& shape);

}  // namespace aisp::lab
