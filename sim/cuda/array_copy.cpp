// Bytes from, to and between arrays, from a place in the first row on.
#include "sim/cuda/array_format.hpp"

using namespace aisp::sim::driver;

namespace {

CUresult to_array(CUarray to, size_t offset, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return in_context([&] { return cudaMemcpyToArray(own(to), offset, 0, from, bytes, kind); });
}

CUresult from_array(void* to, CUarray from, size_t offset, size_t bytes, cudaMemcpyKind kind) {
  return in_context([&] { return cudaMemcpyFromArray(to, own(from), offset, 0, bytes, kind); });
}

}  // namespace

CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void* from, size_t bytes) {
  return to_array(to, offset, from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  return to_array(to, offset, pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyAtoH_v2(void* to, CUarray from, size_t offset, size_t bytes) {
  return from_array(to, from, offset, bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  return from_array(pointer_of(to), from, offset, bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset,
                         size_t bytes) {
  return in_context([&] {
    return cudaMemcpyArrayToArray(own(to), to_offset, 0, own(from), from_offset, 0, bytes,
                                  cudaMemcpyDeviceToDevice);
  });
}
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void* from, size_t bytes,
                              CUstream stream) {
  return in_context([&] {
    return cudaMemcpyToArrayAsync(own(to), offset, 0, from, bytes, cudaMemcpyHostToDevice, stream);
  });
}
CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, size_t offset, size_t bytes,
                              CUstream stream) {
  return in_context([&] {
    return cudaMemcpyFromArrayAsync(to, own(from), offset, 0, bytes, cudaMemcpyDeviceToHost,
                                    stream);
  });
}
