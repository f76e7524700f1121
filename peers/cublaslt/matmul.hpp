// One matrix product of cuBLASLt, or a strided batch of them: row-major C (m, n) = A (m, k) * B,
// with a search over the algorithms that the library's heuristic offers.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "peers/cublaslt/library.hpp"

namespace aisp::peers {

struct MatmulShape {
  std::int64_t m, n, k;
  cudaDataType in, out;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  bool b_is_nk = true;  // B is (n, k), else (k, n); fp8 and int8 take only (n, k)
  // BIAS adds a vector of n elements of type `out` to every row, RELU takes max(0, c).
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  // Matrix i of a batch begins i strides (in elements) after the first; 0 shares one matrix.
  int batch = 1;
  std::int64_t a_stride = 0, b_stride = 0, c_stride = 0;
};

struct MatmulBuffers {
  const void* a;
  const void* b;
  void* c;
  const void* bias = nullptr;
};

// What products that run one after another can share. The memory is the device's and outlives
// every product; `flush` is overwritten in a search to empty L2.
struct Resources {
  const CublasLt& library;
  std::shared_ptr<cublasLtContext> handle;
  void* workspace;
  std::size_t workspace_bytes;
  void* flush;
  std::size_t flush_bytes;
};

class Matmul {
 public:
  Matmul(const Resources& resources, const MatmulShape& shape);

  // Times up to `most` offered algorithms on `buffers` with a cold L2 and keeps the fastest. In fp8
  // both ways to add are searched, sums that stay in the unit ("fast accumulation") and sums that
  // move to f32 every few steps, `most` offers each. Refuses (Exit::environment) when the library
  // offers none for this product on this device. Returns how many ran.
  int search(const MatmulBuffers& buffers, int most = 32);

  // Enqueues the product with the algorithm that search() chose.
  void operator()(const MatmulBuffers& buffers, cudaStream_t stream) const;

 private:
  template <class Object>
  using Owned = std::unique_ptr<Object, cublasStatus_t (*)(Object*)>;
  using Layout = Owned<cublasLtMatrixLayoutOpaque_t>;
  using Operation = Owned<cublasLtMatmulDescOpaque_t>;

  // An algorithm and the operation it was offered for.
  struct Choice {
    const Operation* operation = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
  };

  Layout layout(cudaDataType type, std::int64_t rows, std::int64_t columns,
                std::int64_t stride) const;
  Operation operation(bool keep_in_unit) const;
  void set_bias(const Operation& operation, const MatmulBuffers& buffers) const;
  cublasStatus_t enqueue(const MatmulBuffers& buffers, const Choice& choice,
                         cudaStream_t stream) const;
  cublasStatus_t add_offers(const Operation& operation, int most,
                            std::vector<Choice>& offers) const;

  Resources resources_;
  MatmulShape shape_;
  Layout a_, b_, c_;
  std::vector<Operation> operations_;
  Choice chosen_;
};

}  // namespace aisp::peers
