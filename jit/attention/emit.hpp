// Score and mask functions as CUDA C++: a type Functions as tile/collective/attention/functions.cuh
// and tile/kernel/attention_block_mask.cuh take it.
#pragma once

#include <string>

#include "jit/attention/normal_form.hpp"

namespace aisp::jit {

struct FunctionText {
  bool masks = false;    // by the function, not by a window
  bool precise = false;  // functions as exact as f32 goes, instead of the special-function unit's
  int polynomials = 0;   // of eight exponentials of the softmax
  bool finds_nan = false;
};

// `struct Functions`: for each array its address and its count (8 bytes each), then three floats:
// scale, inverse scale, scale of the softmax; where it finds NaN, the address of a FoundNan.
std::string functions_text(const NormalForm& form, const FunctionText& text);

// The same for the block mask: what the mask is on intervals.
// `every_block`: nothing is known of any block.
std::string interval_text(const Function& function, bool every_block);

}  // namespace aisp::jit
