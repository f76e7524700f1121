#include "sim/runtime/memory/copy.hpp"

#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/pointer.hpp"
#include "sim/runtime/stream/submit_memory.hpp"

using namespace aisp;

using sim::api;
using sim::copy_of;
using sim::copy_of_rows;
using sim::plain_copy;
using sim::require;
using sim::Runtime;
using sim::submit_copy;

namespace {

cudaError_t copy_peer(void* to, int to_device, const void* from, int from_device, size_t bytes,
                      cudaStream_t stream, bool wait) {
  return api([&](Runtime&) {
    sim::require_on(to, to_device);
    sim::require_on(from, from_device);
    return submit_copy(plain_copy(to, from, bytes, cudaMemcpyDeviceToDevice), stream, wait);
  });
}

// An operand of a batch, as one of cudaMemcpy3D; of pointers the elements are bytes.
cudaPitchedPtr pitched(const cudaMemcpy3DOperand& operand, const cudaExtent& extent) {
  require(operand.type == cudaMemcpyOperandTypePointer, cudaErrorNotSupported);
  const auto& [pointer, row, layer, hint] = operand.op.ptr;
  require(row == 0 || row >= extent.width);
  require(layer == 0 || layer >= extent.height);
  return {pointer, row != 0 ? row : extent.width, extent.width, layer != 0 ? layer : extent.height};
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return api(
      [&](Runtime&) { return submit_copy(plain_copy(to, from, bytes, kind), nullptr, true); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api(
      [&](Runtime&) { return submit_copy(plain_copy(to, from, bytes, kind), stream, false); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return api([&](Runtime&) {
    return submit_copy(copy_of_rows(to, to_pitch, from, from_pitch, width, height, kind), nullptr,
                       true);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return api([&](Runtime&) {
    return submit_copy(copy_of_rows(to, to_pitch, from, from_pitch, width, height, kind), stream,
                       false);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return api([&](Runtime&) {
    require(parameters != nullptr);
    return submit_copy(copy_of(*parameters), nullptr, true);
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(parameters != nullptr);
    return submit_copy(copy_of(*parameters), stream, false);
  });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* peer) {
  return api([&](Runtime&) {
    require(peer != nullptr);
    return submit_copy(copy_of(*peer), nullptr, true);
  });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* peer, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(peer != nullptr);
    return submit_copy(copy_of(*peer), stream, false);
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
  return copy_peer(to, to_device, from, from_device, bytes, nullptr, true);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  return copy_peer(to, to_device, from, from_device, bytes, stream, false);
}

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* bytes,
                                 size_t count, cudaMemcpyAttributes*, size_t*, size_t,
                                 cudaStream_t stream) {
  return api([&](Runtime&) {
    require(to != nullptr && from != nullptr && bytes != nullptr && count != 0);
    require(stream != nullptr && stream != cudaStreamLegacy);
    for (size_t i = 0; i < count; ++i)
      require(submit_copy(plain_copy(to[i], from[i], bytes[i], cudaMemcpyDefault), stream, false));
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp* operations,
                                   unsigned long long flags, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(count != 0 && operations != nullptr && flags == 0);
    require(stream != nullptr && stream != cudaStreamLegacy);
    for (size_t i = 0; i < count; ++i) {
      const cudaMemcpy3DBatchOp& one = operations[i];
      require(one.extent.width != 0 && one.extent.height != 0 && one.extent.depth != 0);
      cudaMemcpy3DParms copy{};
      copy.srcPtr = pitched(one.src, one.extent);
      copy.dstPtr = pitched(one.dst, one.extent);
      copy.extent = one.extent;
      copy.kind = cudaMemcpyDefault;
      require(submit_copy(copy_of(copy), stream, false));
    }
    return cudaSuccess;
  });
}
