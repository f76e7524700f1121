// The baseline of the variant bf16: bf16 in and out.
#include <cuda_bf16.h>

#include "chapters/ch09/cublaslt_gemm/micro_tiles.cuh"

namespace aisp::ch09 {

void run_bf16(const lab::Launch& launch) { run_micro_tiles<__nv_bfloat16, __nv_bfloat16>(launch); }

}  // namespace aisp::ch09
