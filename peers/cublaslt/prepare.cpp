#include "peers/cublaslt/prepare.hpp"

#include "base/refuse.hpp"
#include "peers/cublaslt/cold_timer.hpp"

namespace aisp::peers {
namespace {

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
    case lab::Dtype::e5m2:
      return CUDA_R_8F_E5M2;
    case lab::Dtype::i8:
      return CUDA_R_8I;
    case lab::Dtype::i32:
      return CUDA_R_32I;
    default:
      base::refuse(base::Exit::usage, "cuBLASLt has no matrix product in ", lab::name_of(dtype));
  }
}

lab::Run prepare_product(lab::Setup& setup, bool b_is_nk) {
  const Resources resources = resources_for(setup);
  const auto& problem = setup.problem();
  const auto product = std::make_shared<Matmul>(resources, shape_of(problem, b_is_nk));
  product->search({random_on_device(setup, problem.inputs.at(0), 0),
                   random_on_device(setup, problem.inputs.at(1), 1),
                   setup.scratch(static_cast<std::size_t>(problem.outputs.at(0).tensor.bytes()))});
  return [product](const lab::Launch& launch) {
    (*product)({launch.inputs.at(0), launch.inputs.at(1), launch.outputs.at(0)}, launch.stream);
  };
}

}  // namespace

MatmulShape shape_of(const lab::Problem& problem, bool b_is_nk) {
  const auto& dims = problem.size.dims;
  const auto in = problem.inputs.at(0).dtype;
  if (problem.inputs.at(1).dtype != in)
    base::refuse(base::Exit::environment, "cuBLASLt multiplies no ", lab::name_of(in), " by ",
                 lab::name_of(problem.inputs.at(1).dtype));
  return {.m = dims.at(0),
          .n = dims.at(1),
          .k = dims.at(2),
          .in = cuda_type(in),
          .out = cuda_type(problem.outputs.at(0).tensor.dtype),
          .compute = in == lab::Dtype::i8                     ? CUBLAS_COMPUTE_32I
                     : problem.unit == lab::Unit::matrix_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                              : CUBLAS_COMPUTE_32F,
          .b_is_nk = b_is_nk};
}

Resources resources_for(lab::Setup& setup) {
  if (setup.simulated())
    base::refuse(base::Exit::environment, "cuBLASLt needs a GPU; this run is simulated");
  constexpr std::size_t workspace_bytes = 64u << 20;
  const auto& library = cublaslt();
  cublasLtHandle_t handle = nullptr;
  check_cublaslt(library, library.create(&handle), "cublasLtCreate");
  std::shared_ptr<cublasLtContext> owned(handle, library.destroy);
  return {.library = library,
          .handle = std::move(owned),
          .workspace = setup.scratch(workspace_bytes),
          .workspace_bytes = workspace_bytes,
          .flush = setup.scratch(flush_bytes()),
          .flush_bytes = flush_bytes()};
}

void* random_on_device(lab::Setup& setup, const lab::Tensor& what, std::uint32_t stream) {
  const auto values = lab::random_tensor(what, 1, stream);
  void* device = setup.scratch(values.data.size());
  lab::check_cuda(
      cudaMemcpy(device, values.data.data(), values.data.size(), cudaMemcpyHostToDevice),
      "inputs of the algorithm search");
  return device;
}

lab::Run prepare_product_nk(lab::Setup& setup) { return prepare_product(setup, true); }

lab::Run prepare_product_kn(lab::Setup& setup) { return prepare_product(setup, false); }

}  // namespace aisp::peers
