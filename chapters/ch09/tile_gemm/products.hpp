// The products of this target by type, with either atom.
#pragma once

#include "lab/case/rung.hpp"

namespace aisp::ch09 {

enum class Atom { fma, wgmma };

lab::Run run_tf32(Atom atom);
lab::Run run_bf16(Atom atom);
lab::Run run_fp16(Atom atom);
lab::Run run_fp8(Atom atom);

// By the type of the problem's inputs.
inline lab::Run run_product(const lab::Problem& problem, Atom atom) {
  switch (problem.inputs.at(0).dtype) {
    case lab::Dtype::bf16:
      return run_bf16(atom);
    case lab::Dtype::f16:
      return run_fp16(atom);
    case lab::Dtype::e4m3:
      return run_fp8(atom);
    default:
      return run_tf32(atom);
  }
}

}  // namespace aisp::ch09
