// Where cuBLASLt stands beside or at the end of a ladder, and as the ceiling of the matrix unit.
#include "base/refuse.hpp"
#include "lab/case/registry.hpp"
#include "peers/cublaslt/matmul.hpp"

namespace {

constexpr std::size_t workspace_bytes = 64u << 20;

cudaDataType cuda_type(lab::Dtype dtype) {
  switch (dtype) {
    case lab::Dtype::f32:
      return CUDA_R_32F;
    case lab::Dtype::f16:
      return CUDA_R_16F;
    case lab::Dtype::bf16:
      return CUDA_R_16BF;
    case lab::Dtype::e4m3:
      return CUDA_R_8F_E4M3;
    default:
      base::refuse(base::Exit::usage, "cuBLASLt rungs take f32, f16, bf16 and e4m3: got ",
                   lab::name_of(dtype));
  }
}

peers::MatmulShape shape_of(const lab::Problem& problem, bool b_is_nk) {
  const auto& dims = problem.size.dims;
  return {.m = dims.at(0),
          .n = dims.at(1),
          .k = dims.at(2),
          .in = cuda_type(problem.inputs.at(0).dtype),
          .out = cuda_type(problem.outputs.at(0).tensor.dtype),
          .compute = problem.unit == lab::Unit::matrix_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                            : CUBLAS_COMPUTE_32F,
          .b_is_nk = b_is_nk};
}

// Random values on the device: the power, and with it the clock, of a product depends on them.
void* random_on_device(lab::Setup& setup, const lab::Tensor& what, std::uint32_t stream) {
  const auto values = lab::random_tensor(what, 1, stream);
  void* device = setup.scratch(values.data.size());
  lab::check_cuda(
      cudaMemcpy(device, values.data.data(), values.data.size(), cudaMemcpyHostToDevice),
      "inputs of the algorithm search");
  return device;
}

// A product of the problem's first input and its second, an (n, k) matrix or a (k, n) one.
template <bool b_is_nk>
lab::Run prepare(lab::Setup& setup) {
  if (setup.simulated())
    base::refuse(base::Exit::environment, "cuBLASLt needs a GPU; this run is simulated");
  const auto& library = peers::cublaslt();
  const auto& problem = setup.problem();
  const auto product = std::make_shared<peers::Matmul>(
      library, shape_of(problem, b_is_nk), setup.scratch(workspace_bytes), workspace_bytes);
  product->search({random_on_device(setup, problem.inputs.at(0), 0),
                   random_on_device(setup, problem.inputs.at(1), 1),
                   setup.scratch(static_cast<std::size_t>(problem.outputs.at(0).tensor.bytes()))});
  return [product](const lab::Launch& launch) {
    (*product)({launch.inputs.at(0), launch.inputs.at(1), launch.outputs.at(0)}, launch.stream);
  };
}

const lab::RungEntry beside_micro_tiles{
    "ch09:micro_tiling_matmul",
    {.name = "cublas_fp32",
     .idea = "cuBLASLt in fp32 with TF32 off, fastest of its algorithms",
     .look_at = "the kernel name says its tile and stages",
     .peer = true,
     .prepare = prepare<false>}};

const lab::RungEntry end_of_gemm{
    "ch09:cublaslt_gemm",
    {.name = "cublaslt_search",
     .step = 1,
     .builds_on = "micro_tiles",
     .idea = "cuBLASLt, every offered algorithm timed, 64 MiB workspace",
     .look_at = "the kernel name: tile, stages, wgmma",
     .prepare = prepare<true>}};

const lab::RungEntry matrix_roof{"roof:matrix",
                                 {.name = "cublaslt_search",
                                  .step = 0,
                                  .builds_on = "",
                                  .idea = "a product large enough to fill the matrix units",
                                  .look_at = "power and clocks: random data runs into the limit",
                                  .prepare = prepare<true>}};

}  // namespace
