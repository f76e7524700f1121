// GEMMs of different sizes in one launch, such as the experts of a mixture.
#pragma once

#include "tile/device/gemm/gemm.hpp"
#include "tile/device/gemm/recipe_table.hpp"

namespace aisp::tile::device {

// On sm_90 and sm_100. All of one type: bf16, f16, or e4m3 into bf16. Rows of A, B and D are
// contiguous and aligned to 16 bytes, alpha is the same for all, beta is 0. m, n and k may be
// 0; D of a group with a k of 0 is zeros. Without `allocate` the plan has its own memory for the
// tables that the kernel reads.
Plan plan_gemm_grouped(GemmGroups problems, const Allocate& allocate = {});

// Once, and waits for the result: the tables go with the plan. Captured into a graph it does not
// wait, and the graph keeps the tables. What repeats is planned once.
void gemm_grouped(GemmGroups problems, cudaStream_t stream = nullptr);

}  // namespace aisp::tile::device
