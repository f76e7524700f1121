// CUDA arrays and mipmapped arrays.
#include "sim/runtime/memory/array.hpp"

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::array_of;
using sim::mipmapped_array_of;
using sim::require;
using sim::Runtime;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                            size_t height, unsigned flags) {
  return api([&](Runtime&) {
    require(array != nullptr && desc != nullptr);
    require((flags & (cudaArrayLayered | cudaArrayCubemap)) == 0);
    require(sim::forbid_during_capture());
    *array = sim::make_array(*desc, {width, height, 0}, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                              cudaExtent extent, unsigned flags) {
  return api([&](Runtime&) {
    require(array != nullptr && desc != nullptr);
    require(sim::forbid_during_capture());
    *array = sim::make_array(*desc, extent, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* desc,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return api([&](Runtime&) {
    require(array != nullptr && desc != nullptr);
    require(sim::forbid_during_capture());
    *array = sim::make_mipmapped_array(*desc, extent, levels, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array,
                                       unsigned number) {
  return api([&](Runtime&) {
    require(level != nullptr);
    const auto& levels = mipmapped_array_of(array).levels;
    require(number < levels.size());
    *level = reinterpret_cast<cudaArray_t>(levels[number].get());
    return cudaSuccess;
  });
}

// Both wait as cudaFree does.
cudaError_t cudaFreeArray(cudaArray_t array) {
  return api([&](Runtime&) {
    require(sim::forbid_during_capture());
    if (array == nullptr) return cudaSuccess;
    const sim::ArrayObject& object = array_of(array);
    if (object.is_level) return cudaSuccess;  // goes with its mipmapped array
    require(sim::wait_device(object.device));
    sim::release_array(array);
    return cudaSuccess;
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return api([&](Runtime&) {
    require(sim::forbid_during_capture());
    if (array == nullptr) return cudaSuccess;
    require(sim::wait_device(mipmapped_array_of(array).whole.device));
    sim::release_array(array);
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return api([&](Runtime&) {
    const sim::ArrayObject& object = array_of(array);
    if (desc != nullptr) *desc = object.desc;
    if (extent != nullptr) *extent = object.extent;
    if (flags != nullptr) *flags = object.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return api([&](Runtime&) {
    require(desc != nullptr);
    *desc = array_of(array).desc;
    return cudaSuccess;
  });
}

// Formats of several planes are refused when an array is made: there is none to ask for.
cudaError_t cudaArrayGetPlane(cudaArray_t* plane, cudaArray_t array, unsigned) {
  return api([&](Runtime&) {
    require(plane != nullptr);
    array_of(array);
    return cudaErrorInvalidValue;
  });
}

// The question is about arrays whose memory is mapped later, and those are refused.
cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements* needs, cudaArray_t array,
                                           int device) {
  return api([&](Runtime&) {
    require(needs != nullptr);
    sim::require_ordinal(device);
    array_of(array);
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements* needs,
                                                    cudaMipmappedArray_t array, int device) {
  return api([&](Runtime&) {
    require(needs != nullptr);
    sim::require_ordinal(device);
    mipmapped_array_of(array);
    return cudaErrorInvalidValue;
  });
}

// Sparse arrays are refused when they are made, and the question is about no other.
cudaError_t cudaArrayGetSparseProperties(cudaArraySparseProperties* properties, cudaArray_t array) {
  return api([&](Runtime&) {
    require(properties != nullptr);
    array_of(array);
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties* properties,
                                                  cudaMipmappedArray_t array) {
  return api([&](Runtime&) {
    require(properties != nullptr);
    mipmapped_array_of(array);
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const cudaChannelFormatDesc* desc,
                                                 int device) {
  return api([&](Runtime&) {
    require(width != nullptr && desc != nullptr);
    sim::require_ordinal(device);
    *width = sim::most_linear_texels(*desc, device);
    return cudaSuccess;
  });
}
