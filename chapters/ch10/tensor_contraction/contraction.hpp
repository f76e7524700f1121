// The two contractions, for case and rungs. Sizes are the extents of `letters`, in that order.
#pragma once

#include "lab/judge/contraction_problem.hpp"

namespace aisp::ch10 {

struct NamedContraction {
  const char* expression;
  const char* letters;
};

// heads: the outputs of attention's heads, (batch, head, row, size), into the model's width.
// outer: the outer product mean of a protein's aligned sequences, (sequence, residue, channel).
inline NamedContraction named_contraction(const std::string& variant) {
  if (variant == "heads") return {"bhsd,hde->bse", "bhsde"};
  return {"sic,sjd->ijcd", "sijcd"};
}

inline lab::ContractionShape contraction_shape(const lab::Size& size) {
  const NamedContraction named = named_contraction(size.variant);
  return lab::contraction_shape(named.expression, named.letters, size);
}

}  // namespace aisp::ch10
