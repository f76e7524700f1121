// The buffers of an epilogue problem by name (lab/judge/epilogue_problem.hpp); what a variant does
// not have is null.
#pragma once

#include "lab/case/rung.hpp"

namespace aisp::ch10 {

struct EpilogueBuffers {
  const void *a, *b;          // (m, k) and (n, k) in bf16
  const float *bias, *scale;  // (n); one
  void* d;                    // (m, n) in bf16, or e4m3 in the variant fp8
  float* amax;                // one
  std::uint16_t* aux;         // (m, n) in bf16
  std::int64_t m, n, k;
};

inline EpilogueBuffers epilogue_buffers(const lab::Launch& launch) {
  const auto in = [&](std::size_t i) {
    return i < launch.inputs.size() ? launch.inputs[i] : nullptr;
  };
  const auto out = [&](std::size_t i) {
    return i < launch.outputs.size() ? launch.outputs[i] : nullptr;
  };
  return {.a = in(0),
          .b = in(1),
          .bias = static_cast<const float*>(in(2)),
          .scale = static_cast<const float*>(in(3)),
          .d = out(0),
          .amax = static_cast<float*>(out(1)),
          .aux = static_cast<std::uint16_t*>(out(2)),
          .m = launch.dim(0),
          .n = launch.dim(1),
          .k = launch.dim(2)};
}

}  // namespace aisp::ch10
