// The product in f32, for rungs whose epilogue is in passes over memory.
#pragma once

#include "lab/case/rung.hpp"

namespace aisp::ch10 {

// v (m, n) = A B'.
lab::Run product_to_f32(float* v);

// Scratch memory for v.
inline float* scratch_of_product(lab::Setup& setup) {
  const auto& dims = setup.problem().size.dims;
  return static_cast<float*>(
      setup.scratch(static_cast<std::size_t>(dims.at(0) * dims.at(1)) * sizeof(float)));
}

}  // namespace aisp::ch10
