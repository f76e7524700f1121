#include "sim/runtime/state/last_error.hpp"

#include <utility>

namespace aisp::sim {
namespace {

thread_local cudaError_t last = cudaSuccess;

}  // namespace

cudaError_t record_error(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}
cudaError_t last_error() { return last; }
cudaError_t take_last_error() { return std::exchange(last, cudaSuccess); }
void set_last_error(cudaError_t error) { last = error; }

}  // namespace aisp::sim
