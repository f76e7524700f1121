// cuBLASLt as the end of its own ladder, beside the fp32 ladder of chapter 9, and as the ceiling of
// the matrix unit.
#include "lab/case/registry.hpp"
#include "peers/cublaslt/prepare.hpp"

using namespace aisp;

namespace {

const lab::RungEntry beside_micro_tiles{
    "ch09:micro_tiling_matmul",
    {.name = "cublas_fp32",
     .idea = "cuBLASLt in fp32 with TF32 off, fastest of its algorithms",
     .look_at = "the kernel name says its tile and stages",
     .peer = true,
     .prepare = peers::prepare_product_kn}};

const lab::RungEntry end_of_gemm{
    "ch09:cublaslt_gemm",
    {.name = "cublaslt_search",
     .step = 2,
     .builds_on = "mma_sync",
     .idea = "cuBLASLt, every offered algorithm timed, 64 MiB workspace",
     .look_at = "the kernel name: tile, stages, wgmma",
     .prepare = peers::prepare_product_nk}};

const lab::RungEntry matrix_roof{"roof:matrix",
                                 {.name = "cublaslt_search",
                                  .step = 0,
                                  .builds_on = "",
                                  .idea = "a product large enough to fill the matrix units",
                                  .look_at = "power and clocks: random data runs into the limit",
                                  .prepare = peers::prepare_product_nk}};

}  // namespace
