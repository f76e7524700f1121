#include "sim/runtime/memory/texture.hpp"

#include <cstring>
#include <map>
#include <mutex>

#include "sim/runtime/memory/array.hpp"
#include "sim/runtime/memory/pointer.hpp"
#include "sim/runtime/memory/texture_view.hpp"
#include "sim/runtime/state/device.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

struct Descriptions {
  std::mutex mutex;
  std::map<std::uint64_t, TextureDescription> textures, surfaces;

  static Descriptions& get() {
    static auto* const all = new Descriptions;
    return *all;
  }
};

std::size_t limit(cudaDeviceAttr attribute) {
  return static_cast<std::size_t>(attribute_of(Runtime::get().model, attribute, current_device()));
}

bool aligned(const void* pointer, cudaDeviceAttr attribute) {
  return reinterpret_cast<std::uintptr_t>(pointer) % limit(attribute) == 0;
}

TexelImage linear_image(const cudaResourceDesc& resource) {
  const auto& linear = resource.res.linear;
  TexelImage image;
  image.format = format_of(linear.desc);
  image.shape = ImageShape::linear;
  const std::size_t texels = linear.sizeInBytes / image.format.bytes();
  require(texels != 0 && texels <= limit(cudaDevAttrMaxTexture1DLinearWidth));
  require(aligned(linear.devPtr, cudaDevAttrTextureAlignment));
  require_device(linear.devPtr, linear.sizeInBytes);
  ImageLevel level;
  level.base = reinterpret_cast<std::uint64_t>(linear.devPtr);
  level.width = static_cast<std::uint32_t>(texels);
  level.pitch = level.plane = texels * image.format.bytes();
  image.levels = {level};
  return image;
}

TexelImage pitched_image(const cudaResourceDesc& resource) {
  const auto& pitched = resource.res.pitch2D;
  TexelImage image;
  image.format = format_of(pitched.desc);
  image.shape = ImageShape::d2;
  require(pitched.width != 0 && pitched.width <= limit(cudaDevAttrMaxTexture2DLinearWidth));
  require(pitched.height != 0 && pitched.height <= limit(cudaDevAttrMaxTexture2DLinearHeight));
  const std::size_t row = pitched.width * image.format.bytes();
  require(pitched.pitchInBytes >= row &&
          pitched.pitchInBytes <= limit(cudaDevAttrMaxTexture2DLinearPitch));
  require(pitched.pitchInBytes % limit(cudaDevAttrTexturePitchAlignment) == 0);
  require(aligned(pitched.devPtr, cudaDevAttrTextureAlignment));
  require_device(pitched.devPtr, extent_of(row, pitched.height, 1, pitched.pitchInBytes, 0));
  ImageLevel level;
  level.base = reinterpret_cast<std::uint64_t>(pitched.devPtr);
  level.width = static_cast<std::uint32_t>(pitched.width);
  level.height = static_cast<std::uint32_t>(pitched.height);
  level.pitch = pitched.pitchInBytes;
  level.plane = level.pitch * level.height;
  image.levels = {level};
  return image;
}

TexelImage image_of(const cudaResourceDesc& resource) {
  require(resource.flags == 0);
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return array_of(resource.res.array.array).image;
    case cudaResourceTypeMipmappedArray:
      return mipmapped_array_of(resource.res.mipmap.mipmap).whole.image;
    case cudaResourceTypeLinear:
      return linear_image(resource);
    case cudaResourceTypePitch2D:
      return pitched_image(resource);
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

AddressMode mode_of(cudaTextureAddressMode mode, bool normalized) {
  switch (mode) {
    case cudaAddressModeWrap:  // both are for normalised coordinates, and clamp without
      return normalized ? AddressMode::wrap : AddressMode::clamp;
    case cudaAddressModeMirror:
      return normalized ? AddressMode::mirror : AddressMode::clamp;
    case cudaAddressModeClamp:
      return AddressMode::clamp;
    case cudaAddressModeBorder:
      return AddressMode::border;
  }
  throw ApiError{cudaErrorInvalidValue};
}

bool is_linear(cudaTextureFilterMode mode) {
  require(mode == cudaFilterModePoint || mode == cudaFilterModeLinear);
  return mode == cudaFilterModeLinear;
}

Sampler sampler_of(const cudaTextureDesc& texture, const TexelImage& image) {
  Sampler sampler;
  sampler.normalized_coordinates = texture.normalizedCoords != 0;
  for (int i = 0; i < 3; ++i)
    sampler.address[i] = mode_of(texture.addressMode[i], sampler.normalized_coordinates);
  sampler.linear = is_linear(texture.filterMode);
  sampler.linear_mipmap = is_linear(texture.mipmapFilterMode);
  require(texture.readMode == cudaReadModeElementType ||
          texture.readMode == cudaReadModeNormalizedFloat);
  const TexelFormat& format = image.format;
  sampler.normalized_values =
      format.normalized || (texture.readMode == cudaReadModeNormalizedFloat &&
                            format.kind != ChannelKind::floating && format.bits != 32);
  const bool gives_float = format.kind == ChannelKind::floating || sampler.normalized_values;
  require(gives_float || !(sampler.linear || sampler.linear_mipmap), cudaErrorInvalidFilterSetting);
  if (image.shape == ImageShape::linear) {  // read by index: nothing of this applies
    sampler.linear = sampler.linear_mipmap = sampler.normalized_coordinates = false;
    for (AddressMode& mode : sampler.address) mode = AddressMode::border;
    return sampler;
  }
  // Levels are reached by normalised coordinates alone.
  require(image.levels.size() == 1 || sampler.normalized_coordinates);
  sampler.srgb = texture.sRGB != 0 && sampler.normalized_values && format.bits == 8 &&
                 format.kind == ChannelKind::is_unsigned;
  sampler.seamless = texture.seamlessCubemap != 0;
  std::memcpy(sampler.border, texture.borderColor, sizeof sampler.border);
  sampler.bias = texture.mipmapLevelBias;
  sampler.least_level = texture.minMipmapLevelClamp;
  sampler.most_level = texture.maxMipmapLevelClamp;
  return sampler;
}

std::uint64_t add_object(ImageObject object) {
  const std::uint64_t handle = Runtime::get().memory.images().add(std::move(object));
  require(handle != 0, cudaErrorMemoryAllocation);
  return handle;
}

const TextureDescription& description(std::map<std::uint64_t, TextureDescription>& all,
                                      std::uint64_t handle) {
  const std::lock_guard lock(Descriptions::get().mutex);
  const auto found = all.find(handle);
  require(found != all.end());
  return found->second;
}

void release(std::map<std::uint64_t, TextureDescription>& all, std::uint64_t handle) {
  const std::lock_guard lock(Descriptions::get().mutex);
  require(all.erase(handle) == 1);
  Runtime::get().memory.images().remove(handle);
}

}  // namespace

std::uint64_t make_texture(const cudaResourceDesc& resource, const cudaTextureDesc& texture,
                           const cudaResourceViewDesc* view) {
  ImageObject object;
  object.image = image_of(resource);
  if (view != nullptr) {
    require(resource.resType == cudaResourceTypeArray ||
            resource.resType == cudaResourceTypeMipmappedArray);
    object.image = viewed(object.image, *view);
  }
  object.sampler = sampler_of(texture, object.image);
  const std::uint64_t handle = add_object(std::move(object));
  TextureDescription kept{resource, texture, {}, view != nullptr, current_device()};
  if (view != nullptr) kept.view = *view;
  const std::lock_guard lock(Descriptions::get().mutex);
  Descriptions::get().textures[handle] = kept;
  return handle;
}

std::uint64_t make_surface(const cudaResourceDesc& resource) {
  require(resource.resType == cudaResourceTypeArray && resource.flags == 0);
  const ArrayObject& array = array_of(resource.res.array.array);
  ImageObject object;
  object.surface = true;
  object.image = array.image;
  const std::uint64_t handle = add_object(std::move(object));
  const std::lock_guard lock(Descriptions::get().mutex);
  Descriptions::get().surfaces[handle] = {resource, {}, {}, false, current_device()};
  return handle;
}

const TextureDescription& texture_of(std::uint64_t handle) {
  return description(Descriptions::get().textures, handle);
}
const TextureDescription& surface_of(std::uint64_t handle) {
  return description(Descriptions::get().surfaces, handle);
}
void release_texture(std::uint64_t handle) { release(Descriptions::get().textures, handle); }
void release_surface(std::uint64_t handle) { release(Descriptions::get().surfaces, handle); }

}  // namespace aisp::sim
