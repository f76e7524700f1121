#include "sim/cudart/copy.hpp"

#include <cstring>

#include "sim/cudart/pointer.hpp"
#include "sim/cudart/runtime.hpp"

namespace sim {
namespace {

// Pageable sources up to this size are taken at the call, as the driver does; for larger ones the
// call waits, which it may do as well.
constexpr std::size_t staging_bytes = 1 << 16;

// The source in one piece.
std::shared_ptr<std::vector<std::byte>> take(const CopyCall& call) {
  const auto* from = static_cast<const std::byte*>(call.from);
  return std::make_shared<std::vector<std::byte>>(from, from + call.bytes());
}

bool one_piece(const CopyCall& call) { return call.height == 1 && call.depth == 1; }

}  // namespace

CopyCall plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  CopyCall call;
  call.to = to;
  call.from = from;
  call.width = call.to_pitch = call.from_pitch = call.to_plane = call.from_plane = bytes;
  call.kind = kind;
  return call;
}

CopyCall copy_of(const cudaMemcpy3DParms& parameters) {
  const auto& [src_array, src_pos, src, dst_array, dst_pos, dst, extent, kind] = parameters;
  if (src_array != nullptr || dst_array != nullptr) {
    Runtime::get().note_once("copies from and to CUDA arrays are not supported");
    throw ApiError{cudaErrorNotSupported};
  }
  CopyCall call;
  call.width = extent.width;
  call.height = extent.height;
  call.depth = extent.depth;
  call.kind = kind;
  call.to_pitch = dst.pitch;
  call.from_pitch = src.pitch;
  call.to_plane = dst.pitch * dst.ysize;
  call.from_plane = src.pitch * src.ysize;
  call.to = static_cast<std::byte*>(dst.ptr) + dst_pos.x + dst_pos.y * dst.pitch +
            dst_pos.z * call.to_plane;
  call.from = static_cast<const std::byte*>(src.ptr) + src_pos.x + src_pos.y * src.pitch +
              src_pos.z * call.from_plane;
  return call;
}

void judge(const CopyCall& call) {
  require(static_cast<unsigned>(call.kind) <= cudaMemcpyDefault, cudaErrorInvalidMemcpyDirection);
  require(call.to_pitch >= call.width && call.from_pitch >= call.width, cudaErrorInvalidPitchValue);
  if (call.bytes() == 0) return;
  const auto to = judge_range(
      call.to, extent_of(call.width, call.height, call.depth, call.to_pitch, call.to_plane));
  const auto from = judge_range(
      call.from, extent_of(call.width, call.height, call.depth, call.from_pitch, call.from_plane));
  const bool to_device =
      call.kind == cudaMemcpyHostToDevice || call.kind == cudaMemcpyDeviceToDevice;
  const bool from_device =
      call.kind == cudaMemcpyDeviceToHost || call.kind == cudaMemcpyDeviceToDevice;
  require(to || !to_device);
  require(from || !from_device);
}

cudaError_t submit_copy(CopyCall call, cudaStream_t stream, bool wait) {
  judge(call);
  if (call.bytes() == 0) return check_stream(stream);
  const bool from_pageable = !judge_range(call.from, 1), to_pageable = !judge_range(call.to, 1);
  const bool synchronous = wait;
  const bool inside_device = !from_pageable && !to_pageable && call.kind != cudaMemcpyHostToHost;
  // A copy on the device is ordered by its stream alone, even the synchronous one.
  if (wait && inside_device && call.kind == cudaMemcpyDeviceToDevice) wait = false;
  if (!wait && !capturing(stream)) {
    if (from_pageable && !to_pageable && one_piece(call) && call.bytes() <= staging_bytes)
      call.staged = take(call);
    else
      wait = from_pageable || to_pageable;
  }
  Task task = make_task(std::move(call));
  task.awaited = wait || synchronous;
  const cudaError_t error = submit(stream, std::move(task));
  return error == cudaSuccess && wait ? wait_stream(stream) : error;
}

}  // namespace sim

using sim::api;
using sim::CopyCall;
using sim::require;
using sim::Runtime;
using sim::submit_copy;

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return api(
      [&](Runtime&) { return submit_copy(sim::plain_copy(to, from, bytes, kind), nullptr, true); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api(
      [&](Runtime&) { return submit_copy(sim::plain_copy(to, from, bytes, kind), stream, false); });
}

namespace {

CopyCall rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
              size_t height, cudaMemcpyKind kind) {
  CopyCall call = sim::plain_copy(to, from, width, kind);
  call.height = height;
  call.to_pitch = to_pitch;
  call.from_pitch = from_pitch;
  call.to_plane = to_pitch * height;
  call.from_plane = from_pitch * height;
  return call;
}

// A peer copy names the devices whose memory it is about.
void require_on(const void* pointer, int device) {
  sim::require_ordinal(device);
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  require(!found || found->kind != sim::MemoryKind::device || found->device == device);
}

cudaError_t copy_peer(void* to, int to_device, const void* from, int from_device, size_t bytes,
                      cudaStream_t stream, bool wait) {
  return api([&](Runtime&) {
    require_on(to, to_device);
    require_on(from, from_device);
    return submit_copy(sim::plain_copy(to, from, bytes, cudaMemcpyDeviceToDevice), stream, wait);
  });
}

// Peer copies name devices instead of a direction.
cudaMemcpy3DParms without_devices(const cudaMemcpy3DPeerParms& peer) {
  require_on(peer.srcPtr.ptr, peer.srcDevice);
  require_on(peer.dstPtr.ptr, peer.dstDevice);
  return {peer.srcArray, peer.srcPos, peer.srcPtr, peer.dstArray,
          peer.dstPos,   peer.dstPtr, peer.extent, cudaMemcpyDefault};
}

}  // namespace

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return api([&](Runtime&) {
    return submit_copy(rows(to, to_pitch, from, from_pitch, width, height, kind), nullptr, true);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return api([&](Runtime&) {
    return submit_copy(rows(to, to_pitch, from, from_pitch, width, height, kind), stream, false);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return api([&](Runtime&) {
    require(parameters != nullptr);
    return submit_copy(sim::copy_of(*parameters), nullptr, true);
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(parameters != nullptr);
    return submit_copy(sim::copy_of(*parameters), stream, false);
  });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* peer) {
  return api([&](Runtime&) {
    require(peer != nullptr);
    return submit_copy(sim::copy_of(without_devices(*peer)), nullptr, true);
  });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* peer, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(peer != nullptr);
    return submit_copy(sim::copy_of(without_devices(*peer)), stream, false);
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
      require(
          submit_copy(sim::plain_copy(to[i], from[i], bytes[i], cudaMemcpyDefault), stream, false));
    return cudaSuccess;
  });
}
