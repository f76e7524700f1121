// What the emitters give: a kernel's text and how it is launched.
#pragma once

#include <string>

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

}  // namespace aisp::jit
