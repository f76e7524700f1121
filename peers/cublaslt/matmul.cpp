#include "peers/cublaslt/matmul.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/refuse.hpp"
#include "lab/case/rung.hpp"

namespace peers {
namespace {

class Stopwatch {
 public:
  Stopwatch() {
    lab::check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
    lab::check_cuda(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~Stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  void start() { lab::check_cuda(cudaEventRecord(begin_), "cudaEventRecord"); }
  float stop() {
    float milliseconds = 0.0f;
    lab::check_cuda(cudaEventRecord(end_), "cudaEventRecord");
    lab::check_cuda(cudaEventSynchronize(end_), "a matrix product of cuBLASLt");
    lab::check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return milliseconds;
  }

 private:
  cudaEvent_t begin_{}, end_{};
};

}  // namespace

// The library thinks in columns: a row-major (r, c) matrix is its (c, r) one, and C = A * B becomes
// C' = B' * A'. So our B is its first operand, our A its second.
Matmul::Matmul(const CublasLt& library, const MatmulShape& shape, void* workspace,
               std::size_t workspace_bytes)
    : library_(library),
      shape_(shape),
      workspace_(workspace),
      workspace_bytes_(workspace_bytes),
      handle_(nullptr, library.destroy),
      operation_(nullptr, library.operation_destroy),
      preference_(nullptr, library.preference_destroy),
      a_(layout(shape.in, shape.k, shape.m)),
      b_(shape.b_is_nk ? layout(shape.in, shape.k, shape.n) : layout(shape.in, shape.n, shape.k)),
      c_(layout(shape.out, shape.n, shape.m)) {
  cublasLtHandle_t handle = nullptr;
  check_cublaslt(library_, library_.create(&handle), "cublasLtCreate");
  handle_.reset(handle);

  cublasLtMatmulDesc_t operation = nullptr;
  check_cublaslt(library_, library_.operation_create(&operation, shape.compute, CUDA_R_32F),
                 "cublasLtMatmulDescCreate");
  operation_.reset(operation);
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    check_cublaslt(library_, library_.operation_set(operation, attribute, &value, sizeof value),
                   "cublasLtMatmulDescSetAttribute");
  };
  const cublasOperation_t first = shape.b_is_nk ? CUBLAS_OP_T : CUBLAS_OP_N;
  set(CUBLASLT_MATMUL_DESC_TRANSA, first);
  // Without this the fp8 unit's sums move to fp32 every few steps, at some cost in speed.
  const std::int8_t keep_in_unit = shape.in == CUDA_R_8F_E4M3;
  if (keep_in_unit != 0) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, keep_in_unit);

  cublasLtMatmulPreference_t preference = nullptr;
  check_cublaslt(library_, library_.preference_create(&preference),
                 "cublasLtMatmulPreferenceCreate");
  preference_.reset(preference);
  check_cublaslt(library_,
                 library_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &workspace_bytes_, sizeof workspace_bytes_),
                 "cublasLtMatmulPreferenceSetAttribute");
}

Matmul::Layout Matmul::layout(cudaDataType type, std::int64_t rows, std::int64_t columns) const {
  cublasLtMatrixLayout_t made = nullptr;
  check_cublaslt(library_,
                 library_.layout_create(&made, type, static_cast<std::uint64_t>(rows),
                                        static_cast<std::uint64_t>(columns), rows),
                 "cublasLtMatrixLayoutCreate");
  return {made, library_.layout_destroy};
}

cublasStatus_t Matmul::enqueue(const MatmulBuffers& buffers, const cublasLtMatmulAlgo_t& algorithm,
                               cudaStream_t stream) const {
  const float one = 1.0f, zero = 0.0f;
  return library_.matmul(handle_.get(), operation_.get(), &one, buffers.b, b_.get(), buffers.a,
                         a_.get(), &zero, buffers.c, c_.get(), buffers.c, c_.get(), &algorithm,
                         workspace_, workspace_bytes_, stream);
}

int Matmul::search(const MatmulBuffers& buffers, int most) {
  constexpr int repetitions = 5;
  std::vector<cublasLtMatmulHeuristicResult_t> offers(static_cast<std::size_t>(most));
  int offered = 0;
  const auto status =
      library_.heuristic(handle_.get(), operation_.get(), b_.get(), a_.get(), c_.get(), c_.get(),
                         preference_.get(), most, offers.data(), &offered);
  offers.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<std::size_t>(offered) : 0);

  int ran = 0;
  float best = std::numeric_limits<float>::infinity();
  Stopwatch watch;
  for (const auto& offer : offers) {
    if (offer.state != CUBLAS_STATUS_SUCCESS || offer.workspaceSize > workspace_bytes_) continue;
    if (enqueue(buffers, offer.algo, nullptr) != CUBLAS_STATUS_SUCCESS) continue;
    ++ran;
    float fastest = std::numeric_limits<float>::infinity();
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      watch.start();
      check_cublaslt(library_, enqueue(buffers, offer.algo, nullptr), "cublasLtMatmul");
      fastest = std::min(fastest, watch.stop());
    }
    if (fastest < best) {
      best = fastest;
      algorithm_ = offer.algo;
    }
  }
  if (ran == 0)
    base::refuse(base::Exit::environment, "cuBLASLt offers no algorithm for ", shape_.m, 'x',
                 shape_.n, 'x', shape_.k, " in this type on this device (",
                 library_.status_string(status), "); try another size or variant");
  return ran;
}

void Matmul::operator()(const MatmulBuffers& buffers, cudaStream_t stream) const {
  check_cublaslt(library_, enqueue(buffers, algorithm_, stream), "cublasLtMatmul");
}

}  // namespace peers
