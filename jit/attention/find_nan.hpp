// A score that a function made NaN: what a kernel writes down of it, and what is said.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace aisp::jit {

// The first one that a kernel met; found_nan_text is the same for the kernel.
struct FoundNan {
  unsigned there;
  int sequence, head, query, key;
  float product;  // before its scale
};
extern const char* const found_nan_text;

// Waits for what the stream has to do. `place` is that of the user's function, `scale` makes scores
// of products.
void refuse_nan(void* found_nan, cudaStream_t stream, const std::string& place, double scale);

}  // namespace aisp::jit
