#include "sim/runtime/memory/fill.hpp"

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/submit_memory.hpp"

using namespace aisp;

using sim::fill_of_planes;
using sim::fill_of_rows;

namespace {

cudaError_t fill(const sim::FillCall& call, cudaStream_t stream, bool asynchronous) {
  return sim::api([&](sim::Runtime&) { return sim::submit_fill(call, stream, asynchronous); });
}

}  // namespace

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return fill(fill_of_rows(to, bytes, value, bytes, 1), nullptr, false);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill(fill_of_rows(to, bytes, value, bytes, 1), stream, true);
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return fill(fill_of_rows(to, pitch, value, width, height), nullptr, false);
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fill(fill_of_rows(to, pitch, value, width, height), stream, true);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill(fill_of_planes(to, value, extent), nullptr, false);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return fill(fill_of_planes(to, value, extent), stream, true);
}
