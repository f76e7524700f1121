// The baseline: the register micro-tiles of micro_tiling_matmul on every input type. Elements
// become floats on the way into shared memory; the matrix unit stays idle.
#include "chapters/ch09/cublaslt_gemm/micro_tiles.cuh"
#include "lab/case/registry.hpp"

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
      return ch09::run_micro_tiles<float, float>;
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
