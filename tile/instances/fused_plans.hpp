// The kernels behind plan_gemm_fused(), one function for each family. The elements are those that
// it admits.
#pragma once

#include "tile/device/gemm/fused.hpp"

namespace aisp::tile::device {

// An empty function where TMA, or the kernel, does not take the problem.
GemmRun plan_fused_sm90(const GemmProblem& problem, const FusedEpilogue& epilogue,
                        const Allocate& allocate);
GemmRun plan_fused_general(const GemmProblem& problem, const FusedEpilogue& epilogue);

}  // namespace aisp::tile::device
