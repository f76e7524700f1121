// Copies. Directions that the driver's names say are those of the runtime.
#include "sim/runtime/memory/copy.hpp"

#include "sim/cuda/copy_parameters.hpp"
#include "sim/runtime/stream/submit_memory.hpp"

using namespace aisp;

using namespace sim::driver;

namespace {

CUresult copy_bytes(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return in_context([&] { return cudaMemcpy(to, from, bytes, kind); });
}

CUresult copy_bytes_async(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                          CUstream stream) {
  return in_context([&] { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}

int device_of_context(CUcontext handle) {
  const sim::Context* context = sim::find_context(handle);
  demand(context != nullptr && context->alive, CUDA_ERROR_INVALID_CONTEXT);
  return context->device;
}

template <class Parameters>
CUresult copy_box(const Parameters* parameters, CUstream stream, bool wait) {
  return in_context([&] {
    demand(parameters != nullptr);
    return sim::submit_copy(copy_described(*parameters), stream, wait);
  });
}

CUresult copy_box_between(const CUDA_MEMCPY3D_PEER* parameters, CUstream stream, bool wait) {
  return in_context([&] {
    demand(parameters != nullptr);
    device_of_context(parameters->srcContext);
    device_of_context(parameters->dstContext);
    return sim::submit_copy(copy_described(*parameters), stream, wait);
  });
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_bytes(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_bytes_async(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return copy_bytes(pointer_of(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return copy_bytes(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_bytes(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy_bytes_async(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_bytes_async(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_bytes_async(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice,
                          stream);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
  return in_context([&] {
    return cudaMemcpyPeer(pointer_of(to), device_of_context(to_context), pointer_of(from),
                          device_of_context(from_context), bytes);
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream) {
  return in_context([&] {
    return cudaMemcpyPeerAsync(pointer_of(to), device_of_context(to_context), pointer_of(from),
                               device_of_context(from_context), bytes, stream);
  });
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* parameters) {
  return copy_box(parameters, nullptr, true);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* parameters) {
  return copy_box(parameters, nullptr, true);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* parameters, CUstream stream) {
  return copy_box(parameters, stream, false);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* parameters) {
  return copy_box(parameters, nullptr, true);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* parameters, CUstream stream) {
  return copy_box(parameters, stream, false);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* parameters) {
  return copy_box_between(parameters, nullptr, true);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* parameters, CUstream stream) {
  return copy_box_between(parameters, stream, false);
}

static_assert(sizeof(CUmemcpyAttributes) == sizeof(cudaMemcpyAttributes));

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                               CUmemcpyAttributes* attributes, size_t* first_of, size_t kinds,
                               CUstream stream) {
  return in_context([&] {
    return cudaMemcpyBatchAsync(reinterpret_cast<void* const*>(to),
                                reinterpret_cast<const void* const*>(from), bytes, count,
                                same<cudaMemcpyAttributes>(attributes), first_of, kinds, stream);
  });
}

CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                            CUmemcpyAttributes* attributes, size_t* first_of, size_t kinds, size_t*,
                            CUstream stream) {
  return cuMemcpyBatchAsync_v2(to, from, bytes, count, attributes, first_of, kinds, stream);
}
