// Arrays and mipmapped arrays: the runtime's under the driver's descriptions.
#include "sim/cuda/array_format.hpp"

using namespace aisp::sim::driver;

static_assert(CUDA_ARRAY3D_LAYERED == cudaArrayLayered);
static_assert(CUDA_ARRAY3D_SURFACE_LDST == cudaArraySurfaceLoadStore);
static_assert(CUDA_ARRAY3D_CUBEMAP == cudaArrayCubemap);
static_assert(CUDA_ARRAY3D_TEXTURE_GATHER == cudaArrayTextureGather);

namespace {

CUDA_ARRAY3D_DESCRIPTOR description_of(CUarray array) {
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  unsigned flags = 0;
  demand(cudaArrayGetInfo(&channels, &extent, &flags, own(array)));
  const ArrayFormat format = format_of(channels);
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = extent.width;
  description.Height = extent.height;
  description.Depth = extent.depth;
  description.Format = format.format;
  description.NumChannels = format.channels;
  description.Flags = flags;
  return description;
}

}  // namespace

CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* asked) {
  return in_context([&] {
    demand(array != nullptr && asked != nullptr);
    const cudaChannelFormatDesc channels = channels_of({asked->Format, asked->NumChannels});
    return cudaMallocArray(reinterpret_cast<cudaArray_t*>(array), &channels, asked->Width,
                           asked->Height, cudaArrayDefault);
  });
}

CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* asked) {
  return in_context([&] {
    demand(array != nullptr && asked != nullptr);
    const cudaChannelFormatDesc channels = channels_of({asked->Format, asked->NumChannels});
    return cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &channels,
                             {asked->Width, asked->Height, asked->Depth}, asked->Flags);
  });
}

CUresult cuArrayDestroy(CUarray array) {
  return in_context([&] {
    cudaChannelFormatDesc channels{};
    demand(cudaGetChannelDesc(&channels, own(array)) == cudaSuccess, CUDA_ERROR_INVALID_HANDLE);
    return cudaFreeArray(own(array));
  });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* description, CUarray array) {
  return in_context([&] {
    demand(description != nullptr);
    *description = description_of(array);
  });
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* description, CUarray array) {
  return in_context([&] {
    demand(description != nullptr);
    const CUDA_ARRAY3D_DESCRIPTOR whole = description_of(array);
    *description = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
  });
}

CUresult cuArrayGetPlane(CUarray* plane, CUarray array, unsigned number) {
  return in_context(
      [&] { return cudaArrayGetPlane(reinterpret_cast<cudaArray_t*>(plane), own(array), number); });
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* needs, CUarray array,
                                      CUdevice device) {
  return in_context([&] {
    return cudaArrayGetMemoryRequirements(same<cudaArrayMemoryRequirements>(needs), own(array),
                                          device);
  });
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* properties, CUarray array) {
  return in_context([&] {
    return cudaArrayGetSparseProperties(same<cudaArraySparseProperties>(properties), own(array));
  });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* asked,
                                unsigned levels) {
  return in_context([&] {
    demand(array != nullptr && asked != nullptr);
    const cudaChannelFormatDesc channels = channels_of({asked->Format, asked->NumChannels});
    return cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t*>(array), &channels,
                                    {asked->Width, asked->Height, asked->Depth}, levels,
                                    asked->Flags);
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray array, unsigned number) {
  return in_context([&] {
    return cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t*>(level), own(array), number);
  });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  return in_context([&] {
    cudaArray_t level = nullptr;
    demand(cudaGetMipmappedArrayLevel(&level, own(array), 0) == cudaSuccess,
           CUDA_ERROR_INVALID_HANDLE);
    return cudaFreeMipmappedArray(own(array));
  });
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* needs,
                                               CUmipmappedArray array, CUdevice device) {
  return in_context([&] {
    return cudaMipmappedArrayGetMemoryRequirements(same<cudaArrayMemoryRequirements>(needs),
                                                   own(array), device);
  });
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* properties,
                                             CUmipmappedArray array) {
  return in_context([&] {
    return cudaMipmappedArrayGetSparseProperties(same<cudaArraySparseProperties>(properties),
                                                 own(array));
  });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* width, CUarray_format format, unsigned channels,
                                            CUdevice device) {
  return initialised([&] {
    const cudaChannelFormatDesc own = channels_of({format, channels});
    return cudaDeviceGetTexture1DLinearMaxWidth(width, &own, device);
  });
}
