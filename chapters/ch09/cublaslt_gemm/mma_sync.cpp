// What one writes for the matrix unit without a library: the kernel that served a generation of
// GPUs. In fp32 there is no such instruction, and the FFMA kernel stays the only baseline.
#include "chapters/ch09/cublaslt_gemm/mma_sync.hpp"

#include "base/refuse.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// The rung needs Ampere, its e4m3 instruction the architecture it is compiled for.
void refuse_without_fp8() {
  int device = 0, major = 0, minor = 0;
  lab::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  lab::check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                  "compute capability");
  lab::check_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
                  "compute capability");
  if (!lab::runs_on(lab::Needs::sm_90a, major, minor))
    base::refuse(base::Exit::environment, "mma_sync of e4m3 needs sm_90a; this is sm_", major,
                 minor);
}

lab::Run prepare(lab::Setup& setup) {
  switch (setup.problem().inputs.at(0).dtype) {
    case lab::Dtype::bf16:
      return ch09::mma_sync_bf16(setup);
    case lab::Dtype::f16:
      return ch09::mma_sync_fp16(setup);
    case lab::Dtype::e4m3:
      refuse_without_fp8();
      return ch09::mma_sync_fp8(setup);
    default:
      return ch09::mma_sync_tf32(setup);
  }
}

const lab::RungEntry entry{"ch09:cublaslt_gemm",
                           {.name = "mma_sync",
                            .step = 1,
                            .builds_on = "micro_tiles",
                            .idea = "mma.sync on tiles that cp.async brought",
                            .look_at = "every warp reads its own fragments: shared memory and "
                                       "issue slots, not the matrix unit, are busy",
                            .variants = {"bf16", "fp16", "tf32", "fp8"},
                            .prepare = prepare}};

}  // namespace
