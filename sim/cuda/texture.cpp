// Texture and surface objects: the runtime's under the driver's descriptions.
#include <cstring>

#include "sim/cuda/array_format.hpp"

using namespace aisp::sim::driver;

// Both headers number these alike.
static_assert(CU_RESOURCE_TYPE_PITCH2D == static_cast<int>(cudaResourceTypePitch2D));
static_assert(CU_TR_ADDRESS_MODE_BORDER == static_cast<int>(cudaAddressModeBorder));
static_assert(CU_TR_FILTER_MODE_LINEAR == static_cast<int>(cudaFilterModeLinear));
static_assert(CU_RES_VIEW_FORMAT_UNSIGNED_BC7 ==
              static_cast<int>(cudaResViewFormatUnsignedBlockCompressed7));

namespace {

cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC& asked) {
  demand(asked.flags == 0);
  cudaResourceDesc made{};
  made.resType = static_cast<cudaResourceType>(asked.resType);
  switch (asked.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      made.res.array.array = own(asked.res.array.hArray);
      return made;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      made.res.mipmap.mipmap = own(asked.res.mipmap.hMipmappedArray);
      return made;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& [address, format, channels, bytes] = asked.res.linear;
      made.res.linear = {pointer_of(address), channels_of({format, channels}), bytes};
      return made;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& [address, format, channels, width, height, pitch] = asked.res.pitch2D;
      made.res.pitch2D = {pointer_of(address), channels_of({format, channels}), width, height,
                          pitch};
      return made;
    }
  }
  throw DriverError{CUDA_ERROR_INVALID_VALUE};
}

CUDA_RESOURCE_DESC shown(const cudaResourceDesc& own) {
  CUDA_RESOURCE_DESC told{};
  told.resType = static_cast<CUresourcetype>(own.resType);
  switch (own.resType) {
    case cudaResourceTypeArray:
      told.res.array.hArray = reinterpret_cast<CUarray>(own.res.array.array);
      break;
    case cudaResourceTypeMipmappedArray:
      told.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(own.res.mipmap.mipmap);
      break;
    case cudaResourceTypeLinear: {
      const ArrayFormat format = format_of(own.res.linear.desc);
      told.res.linear = {address_of(own.res.linear.devPtr), format.format, format.channels,
                         own.res.linear.sizeInBytes};
      break;
    }
    case cudaResourceTypePitch2D: {
      const ArrayFormat format = format_of(own.res.pitch2D.desc);
      told.res.pitch2D = {address_of(own.res.pitch2D.devPtr),
                          format.format,
                          format.channels,
                          own.res.pitch2D.width,
                          own.res.pitch2D.height,
                          own.res.pitch2D.pitchInBytes};
      break;
    }
  }
  return told;
}

cudaChannelFormatDesc channels_in(const cudaResourceDesc& resource) {
  cudaArray_t array = nullptr;
  switch (resource.resType) {
    case cudaResourceTypeLinear:
      return resource.res.linear.desc;
    case cudaResourceTypePitch2D:
      return resource.res.pitch2D.desc;
    case cudaResourceTypeArray:
      array = resource.res.array.array;
      break;
    case cudaResourceTypeMipmappedArray:
      demand(cudaGetMipmappedArrayLevel(&array, resource.res.mipmap.mipmap, 0));
      break;
  }
  cudaChannelFormatDesc channels{};
  demand(cudaGetChannelDesc(&channels, array));
  return channels;
}

constexpr unsigned known_flags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                 CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                                 CU_TRSF_SEAMLESS_CUBEMAP;

// What the runtime calls the read mode, the driver decides by the elements and a flag.
cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC& asked, const cudaChannelFormatDesc& channels) {
  demand((asked.flags & ~known_flags) == 0);
  const auto has = [&](unsigned flag) { return (asked.flags & flag) != 0; };
  cudaTextureDesc own{};
  for (int axis = 0; axis < 3; ++axis)
    own.addressMode[axis] = static_cast<cudaTextureAddressMode>(asked.addressMode[axis]);
  own.filterMode = static_cast<cudaTextureFilterMode>(asked.filterMode);
  own.readMode = is_small_integer(channels) && !has(CU_TRSF_READ_AS_INTEGER)
                     ? cudaReadModeNormalizedFloat
                     : cudaReadModeElementType;
  own.sRGB = has(CU_TRSF_SRGB);
  std::memcpy(own.borderColor, asked.borderColor, sizeof own.borderColor);
  own.normalizedCoords = has(CU_TRSF_NORMALIZED_COORDINATES);
  own.maxAnisotropy = asked.maxAnisotropy;
  own.mipmapFilterMode = static_cast<cudaTextureFilterMode>(asked.mipmapFilterMode);
  own.mipmapLevelBias = asked.mipmapLevelBias;
  own.minMipmapLevelClamp = asked.minMipmapLevelClamp;
  own.maxMipmapLevelClamp = asked.maxMipmapLevelClamp;
  own.disableTrilinearOptimization = has(CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  own.seamlessCubemap = has(CU_TRSF_SEAMLESS_CUBEMAP);
  return own;
}

CUDA_TEXTURE_DESC shown(const cudaTextureDesc& own, const cudaChannelFormatDesc& channels) {
  CUDA_TEXTURE_DESC told{};
  for (int axis = 0; axis < 3; ++axis)
    told.addressMode[axis] = static_cast<CUaddress_mode>(own.addressMode[axis]);
  told.filterMode = static_cast<CUfilter_mode>(own.filterMode);
  const bool as_integer =
      channels.f != cudaChannelFormatKindFloat && own.readMode == cudaReadModeElementType;
  told.flags =
      (as_integer ? CU_TRSF_READ_AS_INTEGER : 0u) |
      (own.normalizedCoords != 0 ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
      (own.sRGB != 0 ? CU_TRSF_SRGB : 0u) |
      (own.disableTrilinearOptimization != 0 ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
      (own.seamlessCubemap != 0 ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
  std::memcpy(told.borderColor, own.borderColor, sizeof told.borderColor);
  told.maxAnisotropy = own.maxAnisotropy;
  told.mipmapFilterMode = static_cast<CUfilter_mode>(own.mipmapFilterMode);
  told.mipmapLevelBias = own.mipmapLevelBias;
  told.minMipmapLevelClamp = own.minMipmapLevelClamp;
  told.maxMipmapLevelClamp = own.maxMipmapLevelClamp;
  return told;
}

// The two structures name the same things, and differ in what they leave for later.
template <class To, class From>
To same_view(const From& from) {
  To to{};
  to.format = static_cast<decltype(to.format)>(from.format);
  to.width = from.width;
  to.height = from.height;
  to.depth = from.depth;
  to.firstMipmapLevel = from.firstMipmapLevel;
  to.lastMipmapLevel = from.lastMipmapLevel;
  to.firstLayer = from.firstLayer;
  to.lastLayer = from.lastLayer;
  return to;
}

}  // namespace

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* description,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  return in_context([&] {
    demand(texture != nullptr && resource != nullptr && description != nullptr);
    const cudaResourceDesc own = resource_of(*resource);
    const cudaTextureDesc read = texture_of(*description, channels_in(own));
    const auto seen =
        view != nullptr ? same_view<cudaResourceViewDesc>(*view) : cudaResourceViewDesc{};
    return cudaCreateTextureObject(texture, &own, &read, view != nullptr ? &seen : nullptr);
  });
}

CUresult cuTexObjectDestroy(CUtexObject texture) {
  return in_context([&] { return cudaDestroyTextureObject(texture); });
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUtexObject texture) {
  return in_context([&] {
    demand(resource != nullptr);
    cudaResourceDesc own{};
    demand(cudaGetTextureObjectResourceDesc(&own, texture));
    *resource = shown(own);
  });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* description, CUtexObject texture) {
  return in_context([&] {
    demand(description != nullptr);
    cudaResourceDesc resource{};
    cudaTextureDesc own{};
    demand(cudaGetTextureObjectResourceDesc(&resource, texture));
    demand(cudaGetTextureObjectTextureDesc(&own, texture));
    *description = shown(own, channels_in(resource));
  });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* view, CUtexObject texture) {
  return in_context([&] {
    demand(view != nullptr);
    auto own = same_view<cudaResourceViewDesc>(*view);  // stays where there is none
    demand(cudaGetTextureObjectResourceViewDesc(&own, texture));
    *view = same_view<CUDA_RESOURCE_VIEW_DESC>(own);
  });
}

CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource) {
  return in_context([&] {
    demand(surface != nullptr && resource != nullptr);
    const cudaResourceDesc own = resource_of(*resource);
    return cudaCreateSurfaceObject(surface, &own);
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject surface) {
  return in_context([&] { return cudaDestroySurfaceObject(surface); });
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUsurfObject surface) {
  return in_context([&] {
    demand(resource != nullptr);
    cudaResourceDesc own{};
    demand(cudaGetSurfaceObjectResourceDesc(&own, surface));
    *resource = shown(own);
  });
}
