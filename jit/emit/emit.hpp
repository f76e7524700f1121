// IR to CUDA C++ text: what a person would write for one function under one plan.
#pragma once

#include "jit/emit/emitted.hpp"
#include "jit/ir/function.hpp"
#include "jit/ir/signature.hpp"
#include "jit/pass/plan.hpp"

namespace aisp::jit {

Emitted emit(const Function& function, const Signature& signature, const Plan& plan);

// What kernels stand on, once in a module.
std::string helpers();

// helpers() and one kernel: a module.
std::string module_text(const Emitted& emitted);

// "softmax_w4096_bf16": the program, the width of its rows, the types, and what the call has set.
std::string kernel_name(const Function& function, const Signature& signature, const Plan& plan);

}  // namespace aisp::jit
