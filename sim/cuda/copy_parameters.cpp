#include "sim/cuda/copy_parameters.hpp"

namespace aisp::sim::driver {
namespace {

struct End {
  std::byte* at = nullptr;
  std::size_t pitch = 0, plane = 0;
  bool host = false, device = false;  // neither: as the address says
};

// One end of a box: where its first byte is. Rows without a pitch follow each other.
End end_of(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t pitch,
           std::size_t rows, std::size_t x, std::size_t y, std::size_t z, std::size_t width,
           std::size_t height) {
  if (type == CU_MEMORYTYPE_ARRAY) {
    Runtime::get().note_once("the driver's copies from and to CUDA arrays are not supported");
    throw DriverError{CUDA_ERROR_NOT_SUPPORTED};
  }
  demand(type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE ||
         type == CU_MEMORYTYPE_UNIFIED);
  End end;
  end.host = type == CU_MEMORYTYPE_HOST;
  end.device = type == CU_MEMORYTYPE_DEVICE;
  end.pitch = pitch != 0 ? pitch : width + x;
  end.plane = end.pitch * (rows != 0 ? rows : height + y);
  void* base = end.host ? const_cast<void*>(host) : pointer_of(device);
  end.at = static_cast<std::byte*>(base) + x + y * end.pitch + z * end.plane;
  return end;
}

cudaMemcpyKind kind_between(const End& from, const End& to) {
  if (from.host && to.host) return cudaMemcpyHostToHost;
  if (from.host && to.device) return cudaMemcpyHostToDevice;
  if (from.device && to.host) return cudaMemcpyDeviceToHost;
  if (from.device && to.device) return cudaMemcpyDeviceToDevice;
  return cudaMemcpyDefault;
}

CopyCall between(const End& from, const End& to, std::size_t width, std::size_t height,
                 std::size_t depth) {
  CopyCall call;
  call.to = to.at;
  call.from = from.at;
  call.width = width;
  call.height = height;
  call.depth = depth;
  call.to_pitch = to.pitch;
  call.from_pitch = from.pitch;
  call.to_plane = to.plane;
  call.from_plane = from.plane;
  call.kind = kind_between(from, to);
  return call;
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER name these alike.
template <class Parameters>
CopyCall copy_of_box(const Parameters& p) {
  const End from = end_of(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcPitch, p.srcHeight,
                          p.srcXInBytes, p.srcY, p.srcZ, p.WidthInBytes, p.Height);
  const End to = end_of(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstPitch, p.dstHeight,
                        p.dstXInBytes, p.dstY, p.dstZ, p.WidthInBytes, p.Height);
  return between(from, to, p.WidthInBytes, p.Height, p.Depth);
}

}  // namespace

CopyCall copy_described(const CUDA_MEMCPY2D& p) {
  const End from = end_of(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcPitch, 0, p.srcXInBytes,
                          p.srcY, 0, p.WidthInBytes, p.Height);
  const End to = end_of(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstPitch, 0, p.dstXInBytes,
                        p.dstY, 0, p.WidthInBytes, p.Height);
  return between(from, to, p.WidthInBytes, p.Height, 1);
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
  return p;
}

}  // namespace aisp::sim::driver
