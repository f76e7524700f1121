// The baseline of the variant fp16: fp16 in and out.
#include <cuda_fp16.h>

#include "chapters/ch09/cublaslt_gemm/micro_tiles.cuh"

namespace aisp::ch09 {

void run_fp16(const lab::Launch& launch) { run_micro_tiles<__half, __half>(launch); }

}  // namespace aisp::ch09
