// mma.sync m16n8k16 of bf16, in and out.
#include "chapters/ch09/cublaslt_gemm/mma_sync.cuh"

using namespace aisp;

lab::Run ch09::mma_sync_bf16(lab::Setup& setup) {
  return run_mma_sync<tile::Element::bf16, tile::Element::bf16>(setup);
}
