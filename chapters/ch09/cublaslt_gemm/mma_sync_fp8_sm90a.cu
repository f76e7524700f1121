// mma.sync m16n8k32 of e4m3, an instruction that Ampere does not have; the result is bf16.
#include "chapters/ch09/cublaslt_gemm/mma_sync.cuh"

using namespace aisp;

lab::Run ch09::mma_sync_fp8(lab::Setup& setup) {
  return run_mma_sync<tile::Element::e4m3, tile::Element::bf16>(setup);
}
