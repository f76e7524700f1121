// Everything about one variant of a program, to be looked at.
#pragma once

#include <string>
#include <vector>

#include "jit/build/compile.hpp"
#include "jit/pass/plan.hpp"

namespace aisp::jit {

struct PassText {
  std::string pass;  // "trace", then each pass by its name
  std::string ir;    // as it is after it
};

struct Inspection {
  std::string program;       // its name
  std::string kernel;        // the kernel's name, extern "C"
  std::string architecture;  // what it was compiled for: sm_90a, compute_90a
  std::string valid_for;     // "x bf16, rows <= 4096; y bf16"
  std::vector<PassText> passes;
  std::string schedule;               // "rows" or "plain"
  std::vector<Decision> decisions;    // name, value, why
  std::vector<std::string> declined;  // "rows declined: a product at gemm.cpp:22; plain …"
  std::string kernel_text;            // the kernel alone, as a person reads it
  std::string text;                   // all that was compiled
  int threads = 0, shared_bytes = 0;  // of a block
  Compiled compiled;                  // PTX, machine code, resources, log, seconds
};

}  // namespace aisp::jit
