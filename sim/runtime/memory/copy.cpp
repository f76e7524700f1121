#include "sim/runtime/memory/copy.hpp"

#include <cstring>

#include "sim/runtime/memory/array.hpp"
#include "sim/runtime/memory/array_end.hpp"
#include "sim/runtime/memory/pointer.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/watch/host/page_guards.hpp"

namespace aisp::sim {
namespace {

// GB/s are bytes per nanosecond. A copy on the device reads and writes its memory; one between
// devices of which neither has access to the other goes through the host, piece by piece.
double rate_of(const CopyCall& call) {
  const Runtime& runtime = Runtime::get();
  const auto end = [&](const void* pointer) {
    return runtime.memory.find(reinterpret_cast<std::uint64_t>(pointer));
  };
  const auto on_host = [](const auto& found) {
    return !found || found->kind == MemoryKind::pinned;
  };
  const auto to = end(call.to), from = end(call.from);
  const bool through_host = on_host(to) || on_host(from) ||
                            (!runtime.memory.reaches(to->device, from->device) &&
                             !runtime.memory.reaches(from->device, to->device));
  if (through_host) return runtime.model.pcie_gb_per_s;
  return to->device == from->device ? runtime.model.copy_gb_per_s / 2 : runtime.model.peer_gb_per_s;
}

void move_bytes(void* to, const void* from, std::size_t bytes) {
  if (host_watch() != nullptr)
    watch::PageGuards::get().copy(to, from, bytes);
  else
    std::memmove(to, from, bytes);
}

void move_all(const CopyCall& call) {
  auto* to = static_cast<std::byte*>(call.to);
  if (call.staged) {
    move_bytes(to, call.staged->data(), call.staged->size());
    return;
  }
  const auto* from = static_cast<const std::byte*>(call.from);
  for (std::size_t plane = 0; plane < call.depth; ++plane)
    for (std::size_t row = 0; row < call.height; ++row)
      move_bytes(to + plane * call.to_plane + row * call.to_pitch,
                 from + plane * call.from_plane + row * call.from_pitch, call.width);
}

}  // namespace

CopyCall plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  CopyCall call;
  call.to = to;
  call.from = from;
  call.width = call.to_pitch = call.from_pitch = call.to_plane = call.from_plane = bytes;
  call.kind = kind;
  return call;
}

CopyCall copy_of_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  CopyCall call = plain_copy(to, from, width, kind);
  call.height = height;
  call.to_pitch = to_pitch;
  call.from_pitch = from_pitch;
  call.to_plane = to_pitch * height;
  call.from_plane = from_pitch * height;
  return call;
}

// An array counts in its texels, plain memory in bytes; where both meet, the extent is the array's.
CopyCall copy_of(const cudaMemcpy3DParms& parameters) {
  const auto& [src_array, src_pos, src, dst_array, dst_pos, dst, extent, kind] = parameters;
  const bool from_array = src_array != nullptr, to_array = dst_array != nullptr;
  CopyCall call;
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
  std::size_t unit = 1;
  if (from_array) {
    require(src.ptr == nullptr);
    const ArrayEnd end = end_in_array(src_array, src_pos, extent);
    call.from = end.at;
    call.from_pitch = end.pitch;
    call.from_plane = end.plane;
    unit = end.texel;
  }
  if (to_array) {
    require(dst.ptr == nullptr);
    const ArrayEnd end = end_in_array(dst_array, dst_pos, extent);
    require(!from_array || end.texel == unit);
    call.to = end.at;
    call.to_pitch = end.pitch;
    call.to_plane = end.plane;
    unit = end.texel;
  }
  call.width = extent.width * unit;
  if (from_array || to_array) {
    require_direction(to_array, from_array, kind);
    call.asked = std::make_shared<const cudaMemcpy3DParms>(parameters);
  }
  return call;
}

// Peer copies name devices instead of a direction.
CopyCall copy_of(const cudaMemcpy3DPeerParms& peer) {
  const auto require_end = [](cudaArray_t array, const void* pointer, int device) {
    if (array == nullptr) return require_on(pointer, device);
    require_ordinal(device);
    require(array_of(array).device == device);
  };
  require_end(peer.srcArray, peer.srcPtr.ptr, peer.srcDevice);
  require_end(peer.dstArray, peer.dstPtr.ptr, peer.dstDevice);
  return copy_of(cudaMemcpy3DParms{peer.srcArray, peer.srcPos, peer.srcPtr, peer.dstArray,
                                   peer.dstPos, peer.dstPtr, peer.extent, cudaMemcpyDefault});
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

double perform(const CopyCall& call) {
  move_all(call);
  return copy_latency + static_cast<double>(call.bytes()) / rate_of(call);
}

}  // namespace aisp::sim
