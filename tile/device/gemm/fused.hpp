// A product with a bias and an activation in its epilogue: D = activation(alpha A B + beta C +
// bias).
#pragma once

#include "tile/collective/epilogue/chosen.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::tile::device {

struct FusedEpilogue {
  const void* bias = nullptr;  // n numbers of D's element; null: none
  Activation activation = Activation::none;

  constexpr bool operator==(const FusedEpilogue&) const = default;
};

// bf16 into bf16 and f16 into f16. On sm_90 a kernel with TMA and wgmma where A is contiguous along
// k and rows are aligned to 16 bytes; all else goes to the kernel that takes any strides.
GemmPlan plan_gemm_fused(const GemmProblem& problem, const FusedEpilogue& epilogue,
                         const Allocate& allocate = {});

}  // namespace aisp::tile::device
