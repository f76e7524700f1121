// The baseline of the variant fp8: e4m3 in, bf16 out.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "chapters/ch09/cublaslt_gemm/micro_tiles.cuh"

namespace aisp::ch09 {

void run_fp8(const lab::Launch& launch) { run_micro_tiles<__nv_fp8_e4m3, __nv_bfloat16>(launch); }

}  // namespace aisp::ch09
