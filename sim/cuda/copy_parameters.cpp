#include "sim/cuda/copy_parameters.hpp"

#include "sim/cuda/array_format.hpp"
#include "sim/runtime/memory/copy.hpp"

namespace aisp::sim::driver {
namespace {

// One end of a box as the driver names it.
struct Place {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch, rows;  // 0: those of the box
  std::size_t x, y, z;      // bytes, rows, planes
  bool in_array() const { return type == CU_MEMORYTYPE_ARRAY; }
};
struct Box {
  std::size_t width, height, depth;  // bytes, rows, planes
};

struct End {
  std::byte* at = nullptr;
  std::size_t pitch = 0, rows = 0;
};

// Where the first byte is. Rows without a pitch follow each other.
End end_of(const Place& place, const Box& box) {
  demand(place.type == CU_MEMORYTYPE_HOST || place.type == CU_MEMORYTYPE_DEVICE ||
         place.type == CU_MEMORYTYPE_UNIFIED);
  End end;
  end.pitch = place.pitch != 0 ? place.pitch : box.width + place.x;
  end.rows = place.rows != 0 ? place.rows : box.height + place.y;
  void* base =
      place.type == CU_MEMORYTYPE_HOST ? const_cast<void*>(place.host) : pointer_of(place.device);
  end.at = static_cast<std::byte*>(base) + place.x + (place.y + place.z * end.rows) * end.pitch;
  return end;
}

cudaMemcpyKind kind_between(const Place& from, const Place& to) {
  const auto host = [](const Place& place) { return place.type == CU_MEMORYTYPE_HOST; };
  const auto device = [](const Place& place) {
    return place.type == CU_MEMORYTYPE_DEVICE || place.in_array();
  };
  if (host(from) && host(to)) return cudaMemcpyHostToHost;
  if (host(from) && device(to)) return cudaMemcpyHostToDevice;
  if (device(from) && host(to)) return cudaMemcpyDeviceToHost;
  if (device(from) && device(to)) return cudaMemcpyDeviceToDevice;
  return cudaMemcpyDefault;  // as the addresses say
}

CopyCall between_memory(const Place& from, const Place& to, const Box& box) {
  const End source = end_of(from, box), target = end_of(to, box);
  CopyCall call;
  call.to = target.at;
  call.from = source.at;
  call.width = box.width;
  call.height = box.height;
  call.depth = box.depth;
  call.to_pitch = target.pitch;
  call.from_pitch = source.pitch;
  call.to_plane = target.pitch * target.rows;
  call.from_plane = source.pitch * source.rows;
  call.kind = kind_between(from, to);
  return call;
}

// The runtime counts in texels where an array takes part.
CopyCall with_arrays(const Place& from, const Place& to, const Box& box) {
  const std::size_t texel = texel_bytes(from.in_array() ? from.array : to.array);
  demand(box.width % texel == 0);
  cudaMemcpy3DParms parameters{};
  const auto put = [&](const Place& place, cudaArray_t& array, cudaPos& position,
                       cudaPitchedPtr& memory) {
    if (!place.in_array()) {
      const End end = end_of(place, box);
      memory = {end.at, end.pitch, box.width, end.rows};
      return;
    }
    demand(place.x % texel == 0);
    array = own(place.array);
    position = {place.x / texel, place.y, place.z};
  };
  put(from, parameters.srcArray, parameters.srcPos, parameters.srcPtr);
  put(to, parameters.dstArray, parameters.dstPos, parameters.dstPtr);
  parameters.extent = {box.width / texel, box.height, box.depth};
  parameters.kind = kind_between(from, to);
  return copy_of(parameters);
}

CopyCall between(const Place& from, const Place& to, const Box& box) {
  return from.in_array() || to.in_array() ? with_arrays(from, to, box)
                                          : between_memory(from, to, box);
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER name these alike.
template <class Parameters>
CopyCall copy_of_box(const Parameters& p) {
  return between({p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray, p.srcPitch, p.srcHeight,
                  p.srcXInBytes, p.srcY, p.srcZ},
                 {p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray, p.dstPitch, p.dstHeight,
                  p.dstXInBytes, p.dstY, p.dstZ},
                 {p.WidthInBytes, p.Height, p.Depth});
}

}  // namespace

CopyCall copy_described(const CUDA_MEMCPY2D& p) {
  return between({p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray, p.srcPitch, 0, p.srcXInBytes,
                  p.srcY, 0},
                 {p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray, p.dstPitch, 0, p.dstXInBytes,
                  p.dstY, 0},
                 {p.WidthInBytes, p.Height, 1});
}

CopyCall copy_described(const CUDA_MEMCPY3D& parameters) { return copy_of_box(parameters); }
CopyCall copy_described(const CUDA_MEMCPY3D_PEER& parameters) { return copy_of_box(parameters); }

CUDA_MEMCPY3D described(const CopyCall& call) {
  CUDA_MEMCPY3D p{};
  p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  p.srcDevice = address_of(call.from);
  p.dstDevice = address_of(call.to);
  p.srcPitch = call.from_pitch;
  p.dstPitch = call.to_pitch;
  p.srcHeight = call.from_pitch != 0 ? call.from_plane / call.from_pitch : 0;
  p.dstHeight = call.to_pitch != 0 ? call.to_plane / call.to_pitch : 0;
  p.WidthInBytes = call.width;
  p.Height = call.height;
  p.Depth = call.depth;
  if (!call.asked) return p;
  const cudaMemcpy3DParms& asked = *call.asked;
  const std::size_t texel = asked.extent.width != 0 ? call.width / asked.extent.width : 0;
  if (asked.srcArray != nullptr) {
    p.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    p.srcArray = reinterpret_cast<CUarray>(asked.srcArray);
    p.srcDevice = 0;
    p.srcXInBytes = asked.srcPos.x * texel;
    p.srcY = asked.srcPos.y;
    p.srcZ = asked.srcPos.z;
    p.srcPitch = p.srcHeight = 0;
  }
  if (asked.dstArray != nullptr) {
    p.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    p.dstArray = reinterpret_cast<CUarray>(asked.dstArray);
    p.dstDevice = 0;
    p.dstXInBytes = asked.dstPos.x * texel;
    p.dstY = asked.dstPos.y;
    p.dstZ = asked.dstPos.z;
    p.dstPitch = p.dstHeight = 0;
  }
  return p;
}

}  // namespace aisp::sim::driver
