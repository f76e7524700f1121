#include "peers/cublaslt/matmul.hpp"

#include "base/refuse.hpp"
#include "lab/case/rung.hpp"
#include "peers/cublaslt/choose.hpp"
#include "peers/cublaslt/cold_timer.hpp"

namespace aisp::peers {
namespace {

bool is_fp8(cudaDataType type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

}  // namespace

// The library thinks in columns: a row-major (r, c) matrix is its (c, r) one, and C = A * B becomes
// C' = B' * A'. So our B is its first operand, our A its second.
Matmul::Matmul(const Resources& resources, const MatmulShape& shape)
    : resources_(resources),
      shape_(shape),
      a_(layout(shape.in, shape.k, shape.m, shape.a_stride)),
      b_(shape.b_is_nk ? layout(shape.in, shape.k, shape.n, shape.b_stride)
                       : layout(shape.in, shape.n, shape.k, shape.b_stride)),
      c_(layout(shape.out, shape.n, shape.m, shape.c_stride)) {
  operations_.push_back(operation(false));
  if (is_fp8(shape.in)) operations_.push_back(operation(true));
}

Matmul::Layout Matmul::layout(cudaDataType type, std::int64_t rows, std::int64_t columns,
                              std::int64_t stride) const {
  const auto& library = resources_.library;
  cublasLtMatrixLayout_t made = nullptr;
  check_cublaslt(library,
                 library.layout_create(&made, type, static_cast<std::uint64_t>(rows),
                                       static_cast<std::uint64_t>(columns), rows),
                 "cublasLtMatrixLayoutCreate");
  Layout owned{made, library.layout_destroy};
  if (shape_.batch == 1) return owned;
  const auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, const auto& value) {
    check_cublaslt(library, library.layout_set(made, attribute, &value, sizeof value),
                   "cublasLtMatrixLayoutSetAttribute");
  };
  set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(shape_.batch));
  set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return owned;
}

Matmul::Operation Matmul::operation(bool keep_in_unit) const {
  const auto& library = resources_.library;
  cublasLtMatmulDesc_t made = nullptr;
  const auto scale = shape_.compute == CUBLAS_COMPUTE_32I ? CUDA_R_32I : CUDA_R_32F;
  check_cublaslt(library, library.operation_create(&made, shape_.compute, scale),
                 "cublasLtMatmulDescCreate");
  Operation owned{made, library.operation_destroy};
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    check_cublaslt(library, library.operation_set(made, attribute, &value, sizeof value),
                   "cublasLtMatmulDescSetAttribute");
  };
  const cublasOperation_t first = shape_.b_is_nk ? CUBLAS_OP_T : CUBLAS_OP_N;
  set(CUBLASLT_MATMUL_DESC_TRANSA, first);
  if (shape_.epilogue != CUBLASLT_EPILOGUE_DEFAULT)
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, shape_.epilogue);
  if (shape_.epilogue == CUBLASLT_EPILOGUE_BIAS)
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<std::int32_t>(shape_.out));
  const std::int8_t fast_accumulation = 1;
  if (keep_in_unit) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast_accumulation);
  return owned;
}

void Matmul::set_bias(const Operation& operation, const MatmulBuffers& buffers) const {
  if (shape_.epilogue != CUBLASLT_EPILOGUE_BIAS) return;
  check_cublaslt(
      resources_.library,
      resources_.library.operation_set(operation.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                       &buffers.bias, sizeof buffers.bias),
      "cublasLtMatmulDescSetAttribute");
}

cublasStatus_t Matmul::enqueue(const MatmulBuffers& buffers, const Choice& choice,
                               cudaStream_t stream) const {
  const float one = 1.0f, zero = 0.0f;
  const std::int32_t integer_one = 1, integer_zero = 0;
  const bool integers = shape_.compute == CUBLAS_COMPUTE_32I;
  const void* alpha = integers ? static_cast<const void*>(&integer_one) : &one;
  const void* beta = integers ? static_cast<const void*>(&integer_zero) : &zero;
  set_bias(*choice.operation, buffers);
  return resources_.library.matmul(resources_.handle.get(), choice.operation->get(), alpha,
                                   buffers.b, b_.get(), buffers.a, a_.get(), beta, buffers.c,
                                   c_.get(), buffers.c, c_.get(), &choice.algorithm,
                                   resources_.workspace, resources_.workspace_bytes, stream);
}

cublasStatus_t Matmul::add_offers(const Operation& operation, int most,
                                  std::vector<Choice>& offers) const {
  const auto& library = resources_.library;
  cublasLtMatmulPreference_t made = nullptr;
  check_cublaslt(library, library.preference_create(&made), "cublasLtMatmulPreferenceCreate");
  const Owned<cublasLtMatmulPreferenceOpaque_t> preference{made, library.preference_destroy};
  check_cublaslt(
      library,
      library.preference_set(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                             &resources_.workspace_bytes, sizeof resources_.workspace_bytes),
      "cublasLtMatmulPreferenceSetAttribute");
  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(most));
  int offered = 0;
  const auto status =
      library.heuristic(resources_.handle.get(), operation.get(), b_.get(), a_.get(), c_.get(),
                        c_.get(), preference.get(), most, results.data(), &offered);
  results.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<std::size_t>(offered) : 0);
  for (const auto& result : results)
    if (result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= resources_.workspace_bytes)
      offers.push_back({.operation = &operation, .algorithm = result.algo});
  return status;
}

int Matmul::search(const MatmulBuffers& buffers, int most) {
  std::vector<Choice> offers;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (const auto& operation : operations_) {
    set_bias(operation, buffers);
    status = add_offers(operation, most, offers);
  }
  // One untimed run: it loads the kernel, and an algorithm that does not run is no offer.
  std::erase_if(offers, [&](const Choice& offer) {
    return enqueue(buffers, offer, nullptr) != CUBLAS_STATUS_SUCCESS;
  });
  if (offers.empty())
    base::refuse(base::Exit::environment, "cuBLASLt offers no algorithm for ", shape_.m, 'x',
                 shape_.n, 'x', shape_.k, " in this type on this device (",
                 resources_.library.status_string(status), "); try another size or variant");

  ColdTimer timer(resources_.flush, resources_.flush_bytes);
  chosen_ = offers[choose_fastest(offers.size(), [&](std::size_t offer) {
    return timer.time([&] {
      check_cublaslt(resources_.library, enqueue(buffers, offers[offer], nullptr),
                     "cublasLtMatmul");
    });
  })];
  return static_cast<int>(offers.size());
}

void Matmul::operator()(const MatmulBuffers& buffers, cudaStream_t stream) const {
  check_cublaslt(resources_.library, enqueue(buffers, chosen_, stream), "cublasLtMatmul");
}

}  // namespace aisp::peers
