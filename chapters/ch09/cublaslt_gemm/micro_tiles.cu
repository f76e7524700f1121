// The baseline: the best own kernel of micro_tiling_matmul. cp.async copies bytes as they are, so
// the ring serves fp32; other types become floats on the way into shared memory and use the
// register micro-tiles. The matrix unit stays idle in both.
#include "chapters/ch09/cublaslt_gemm/micro_tiles.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  switch (setup.problem().inputs.at(0).dtype) {
    case lab::Dtype::bf16:
      return ch09::run_bf16;
    case lab::Dtype::f16:
      return ch09::run_fp16;
    case lab::Dtype::e4m3:
      return ch09::run_fp8;
    default:
      return ch09::prepare_fp32();
  }
}

const lab::RungEntry entry{"ch09:cublaslt_gemm",
                           {.name = "micro_tiles",
                            .step = 0,
                            .builds_on = "",
                            .idea = "8x8 elements of C per thread in registers, FFMA",
                            .look_at = "the matrix unit is idle; the FMA roof is the ceiling",
                            .prepare = prepare}};

}  // namespace
