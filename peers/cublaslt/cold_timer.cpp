#include "peers/cublaslt/cold_timer.hpp"

#include <algorithm>

#include "lab/case/rung.hpp"

namespace aisp::peers {

std::size_t flush_bytes() {
  int device = 0, l2 = 0;
  lab::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  lab::check_cuda(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device),
                  "cudaDeviceGetAttribute");
  return std::max(2 * static_cast<std::size_t>(l2), std::size_t{64} << 20);
}

ColdTimer::ColdTimer(void* flush, std::size_t bytes) : flush_(flush), bytes_(bytes) {
  lab::check_cuda(cudaEventCreate(&begin_), "cudaEventCreate");
  lab::check_cuda(cudaEventCreate(&end_), "cudaEventCreate");
}

ColdTimer::~ColdTimer() {
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
}

float ColdTimer::time(const std::function<void()>& enqueue) {
  float milliseconds = 0.0f;
  lab::check_cuda(cudaMemsetAsync(flush_, 0, bytes_), "cudaMemsetAsync");
  lab::check_cuda(cudaEventRecord(begin_), "cudaEventRecord");
  enqueue();
  lab::check_cuda(cudaEventRecord(end_), "cudaEventRecord");
  lab::check_cuda(cudaEventSynchronize(end_), "a matrix product of cuBLASLt");
  lab::check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
  return milliseconds;
}

}  // namespace aisp::peers
