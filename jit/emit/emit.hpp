// IR to CUDA C++ text: what a person would write for one function under one plan.
#pragma once

#include "jit/ir/function.hpp"
#include "jit/ir/signature.hpp"
#include "jit/pass/plan.hpp"

namespace aisp::jit {

// A launch passes, for every parameter in order, one struct by value: the pointer, then the
// extents, then the strides in elements, all of 8 bytes; an array has one extent and stride 1.
// Blocks are numbered along x, the last dimension of grid() first.
struct Emitted {
  std::string name;    // of the kernel, extern "C"
  std::string kernel;  // its text, which stands on the helpers
  int threads = 0;     // of a block
  int shared_bytes = 0;
};

Emitted emit(const Function& function, const Signature& signature, const Plan& plan);

// What kernels stand on, once in a module.
std::string helpers();

// helpers() and one kernel: a module.
std::string module_text(const Emitted& emitted);

// "softmax_w4096_bf16": the program, the width of its rows, the types, and what the call has set.
std::string kernel_name(const Function& function, const Signature& signature, const Plan& plan);

}  // namespace aisp::jit
