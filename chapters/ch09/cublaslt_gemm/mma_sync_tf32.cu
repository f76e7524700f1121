// mma.sync m16n8k8 of fp32 data; the unit reads the upper 19 bits of a factor.
#include "chapters/ch09/cublaslt_gemm/mma_sync.cuh"

using namespace aisp;

lab::Run ch09::mma_sync_tf32(lab::Setup& setup) {
  return run_mma_sync<tile::Element::tf32, tile::Element::f32>(setup);
}
