#include "sim/cudart/fill.hpp"

#include "sim/cudart/pointer.hpp"
#include "sim/cudart/runtime.hpp"

namespace sim {

void judge(const FillCall& call) {
  require(call.element == 1 || call.element == 2 || call.element == 4);
  if (call.bytes() == 0) return;
  const std::size_t width = call.width * call.element;
  require(call.height == 1 || call.pitch >= width);
  require_device(call.to, extent_of(width, call.height, call.depth, call.pitch, call.plane));
}

namespace {

// Returns before the device has done it, as on hardware, unless the host can see the memory.
cudaError_t fill(FillCall call, cudaStream_t stream, bool asynchronous) {
  return api([&](Runtime&) {
    judge(call);
    if (call.bytes() == 0) return check_stream(stream);
    const bool wait = !asynchronous && require_device(call.to, 1).kind == MemoryKind::pinned;
    const cudaError_t error = submit(stream, make_task(call));
    return error == cudaSuccess && wait ? wait_stream(stream) : error;
  });
}

FillCall rows(void* to, size_t pitch, int value, size_t width, size_t height) {
  FillCall call;
  call.to = to;
  call.value = static_cast<std::uint8_t>(value);
  call.width = width;
  call.height = height;
  call.pitch = pitch;
  call.plane = pitch * height;
  return call;
}

FillCall planes(const cudaPitchedPtr& to, int value, const cudaExtent& extent) {
  FillCall call = rows(to.ptr, to.pitch, value, extent.width, extent.height);
  call.depth = extent.depth;
  call.plane = to.pitch * to.ysize;
  return call;
}

}  // namespace
}  // namespace sim

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return sim::fill(sim::rows(to, bytes, value, bytes, 1), nullptr, false);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return sim::fill(sim::rows(to, bytes, value, bytes, 1), stream, true);
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return sim::fill(sim::rows(to, pitch, value, width, height), nullptr, false);
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return sim::fill(sim::rows(to, pitch, value, width, height), stream, true);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return sim::fill(sim::planes(to, value, extent), nullptr, false);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return sim::fill(sim::planes(to, value, extent), stream, true);
}
