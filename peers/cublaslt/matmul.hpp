// One matrix product of cuBLASLt: row-major C (m, n) = A (m, k) * B, with a search over the
// algorithms that the library's heuristic offers.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "peers/cublaslt/library.hpp"

namespace peers {

struct MatmulShape {
  std::int64_t m, n, k;
  cudaDataType in, out;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  bool b_is_nk = true;  // B is (n, k), else (k, n); fp8 takes only (n, k)
};

struct MatmulBuffers {
  const void* a;
  const void* b;
  void* c;
};

class Matmul {
 public:
  // `workspace` is device memory that outlives this object.
  Matmul(const CublasLt& library, const MatmulShape& shape, void* workspace,
         std::size_t workspace_bytes);

  // Times the offered algorithms on `buffers` and keeps the fastest. Refuses (Exit::environment)
  // when the library offers none for this product on this device. Returns how many ran.
  int search(const MatmulBuffers& buffers, int most = 32);

  // Enqueues the product with the algorithm that search() chose.
  void operator()(const MatmulBuffers& buffers, cudaStream_t stream) const;

 private:
  template <class Object>
  using Owned = std::unique_ptr<Object, cublasStatus_t (*)(Object*)>;
  using Layout = Owned<cublasLtMatrixLayoutOpaque_t>;

  cublasStatus_t enqueue(const MatmulBuffers& buffers, const cublasLtMatmulAlgo_t& algorithm,
                         cudaStream_t stream) const;
  Layout layout(cudaDataType type, std::int64_t rows, std::int64_t columns) const;

  const CublasLt& library_;
  MatmulShape shape_;
  void* workspace_;
  std::size_t workspace_bytes_;
  Owned<cublasLtContext> handle_;
  Owned<cublasLtMatmulDescOpaque_t> operation_;
  Owned<cublasLtMatmulPreferenceOpaque_t> preference_;
  Layout a_, b_, c_;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace peers
