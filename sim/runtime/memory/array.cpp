#include "sim/runtime/memory/array.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "sim/runtime/memory/allocate.hpp"
#include "sim/runtime/memory/array_limits.hpp"
#include "sim/runtime/state/device.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint64_t level_alignment = 512;

struct Arrays {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<ArrayObject>> plain;
  std::map<const void*, std::unique_ptr<MipmappedArrayObject>> mipmapped;
  std::map<const void*, const ArrayObject*> known;  // levels too

  static Arrays& get() {
    static auto* const arrays = new Arrays;
    return *arrays;
  }
};

std::uint64_t plane_bytes(const ImageLevel& level) {
  return level.pitch * level.height * level.depth;
}

ImageLevel level_of(const ImageLevel& first, const TexelImage& image, unsigned number) {
  const auto halved = [&](std::uint32_t size) { return std::max(size >> number, 1u); };
  ImageLevel level;
  level.width = halved(first.width);
  level.height = halved(first.height);
  level.depth = image.shape == ImageShape::d3 ? halved(first.depth) : first.depth;
  level.pitch = std::uint64_t{level.width} * image.format.bytes();
  level.plane = level.pitch * level.height;
  return level;
}

ArrayObject described(const cudaChannelFormatDesc& desc, const cudaExtent& extent, unsigned flags) {
  ArrayObject array;
  array.desc = desc;
  array.extent = extent;
  array.flags = flags;
  array.device = current_device();
  array.image.format = format_of(desc);
  array.image.shape = shape_of(extent, flags);
  require_within_limits(array.image.shape, extent, flags, array.device);
  ImageLevel level;
  level.width = static_cast<std::uint32_t>(extent.width);
  level.height = static_cast<std::uint32_t>(std::max<std::size_t>(extent.height, 1));
  level.depth = static_cast<std::uint32_t>(std::max<std::size_t>(extent.depth, 1));
  array.image.levels = {level_of(level, array.image, 0)};
  return array;
}

std::string text_of(const ArrayObject& array) {
  const ImageLevel& level = array.level();
  return base::say(name_of(array.image.shape), " array ", level.width, 'x', level.height, 'x',
                   level.depth);
}

// The name keeps cudaFree and the like from it, and tells reports what it is.
void give_memory(ArrayObject& array) {
  std::uint64_t bytes = 0;
  for (ImageLevel& level : array.image.levels) {
    level.base = bytes;
    bytes += (plane_bytes(level) + level_alignment - 1) / level_alignment * level_alignment;
  }
  if (watch::HostWatch* watch = host_watch()) watch->make_room(array.device, bytes);
  array.memory = Runtime::get().memory.allocate_on(array.device, bytes, MemoryKind::device,
                                                   text_of(array), level_alignment);
  require(array.memory != nullptr, cudaErrorMemoryAllocation);
  for (ImageLevel& level : array.image.levels)
    level.base += reinterpret_cast<std::uint64_t>(array.memory);
}

std::unique_ptr<ArrayObject> array_of_level(const ArrayObject& whole, unsigned number) {
  auto array = std::make_unique<ArrayObject>(whole);
  array->image.levels = {whole.image.levels[number]};
  array->is_level = true;
  const auto halved = [&](std::size_t size) {
    return size == 0 ? 0 : std::max<std::size_t>(size >> number, 1);
  };
  array->extent.width = halved(whole.extent.width);
  array->extent.height = halved(whole.extent.height);
  if (whole.image.shape == ImageShape::d3) array->extent.depth = halved(whole.extent.depth);
  return array;
}

}  // namespace

TexelFormat format_of(const cudaChannelFormatDesc& desc) {
  constexpr auto wrong = cudaErrorInvalidChannelDescriptor;
  TexelFormat format;
  switch (desc.f) {
    case cudaChannelFormatKindSigned:
      format.kind = ChannelKind::is_signed;
      break;
    case cudaChannelFormatKindUnsigned:
      format.kind = ChannelKind::is_unsigned;
      break;
    case cudaChannelFormatKindFloat:
      format.kind = ChannelKind::floating;
      break;
    default:
      format.normalized = true;
      if (desc.f >= cudaChannelFormatKindUnsignedNormalized8X1 &&
          desc.f <= cudaChannelFormatKindUnsignedNormalized16X4)
        format.kind = ChannelKind::is_unsigned;
      else if (desc.f >= cudaChannelFormatKindSignedNormalized8X1 &&
               desc.f <= cudaChannelFormatKindSignedNormalized16X4)
        format.kind = ChannelKind::is_signed;
      else
        throw ApiError{wrong};
  }
  require(desc.x == 8 || desc.x == 16 || desc.x == 32, wrong);
  const int bits[4] = {desc.x, desc.y, desc.z, desc.w};
  int channels = 0;
  while (channels < 4 && bits[channels] == desc.x) ++channels;
  for (int i = channels; i < 4; ++i) require(bits[i] == 0, wrong);
  require(channels != 3, wrong);
  require(format.kind != ChannelKind::floating || desc.x != 8, wrong);
  require(!format.normalized || desc.x != 32, wrong);
  format.bits = static_cast<std::uint8_t>(desc.x);
  format.channels = static_cast<std::uint8_t>(channels);
  return format;
}

cudaArray_t make_array(const cudaChannelFormatDesc& desc, const cudaExtent& extent,
                       unsigned flags) {
  auto array = std::make_unique<ArrayObject>(described(desc, extent, flags));
  give_memory(*array);
  Arrays& arrays = Arrays::get();
  const std::lock_guard lock(arrays.mutex);
  const ArrayObject* const made = array.get();
  arrays.known[made] = made;
  arrays.plain[made] = std::move(array);
  return reinterpret_cast<cudaArray_t>(const_cast<ArrayObject*>(made));
}

cudaMipmappedArray_t make_mipmapped_array(const cudaChannelFormatDesc& desc,
                                          const cudaExtent& extent, unsigned levels,
                                          unsigned flags) {
  auto array = std::make_unique<MipmappedArrayObject>();
  array->whole = described(desc, extent, flags);
  TexelImage& image = array->whole.image;
  const ImageLevel first = image.levels.front();
  const std::uint32_t depth = image.shape == ImageShape::d3 ? first.depth : 1;
  const auto most =
      static_cast<unsigned>(std::bit_width(std::max({first.width, first.height, depth})));
  levels = std::clamp(levels, 1u, most);  // as documented: more are not made
  for (unsigned number = 1; number < levels; ++number)
    image.levels.push_back(level_of(first, image, number));
  give_memory(array->whole);
  Arrays& arrays = Arrays::get();
  const std::lock_guard lock(arrays.mutex);
  for (unsigned number = 0; number < levels; ++number) {
    array->levels.push_back(array_of_level(array->whole, number));
    arrays.known[array->levels.back().get()] = array->levels.back().get();
  }
  MipmappedArrayObject* const made = array.get();
  arrays.mipmapped[made] = std::move(array);
  return reinterpret_cast<cudaMipmappedArray_t>(made);
}

const ArrayObject& array_of(cudaArray_const_t array) {
  Arrays& arrays = Arrays::get();
  const std::lock_guard lock(arrays.mutex);
  const auto found = arrays.known.find(array);
  require(array != nullptr, cudaErrorInvalidResourceHandle);
  require(found != arrays.known.end());
  return *found->second;
}

const MipmappedArrayObject& mipmapped_array_of(cudaMipmappedArray_const_t array) {
  Arrays& arrays = Arrays::get();
  const std::lock_guard lock(arrays.mutex);
  const auto found = arrays.mipmapped.find(array);
  require(found != arrays.mipmapped.end());
  return *found->second;
}

void release_array(cudaArray_t array) {
  Arrays& arrays = Arrays::get();
  const std::lock_guard lock(arrays.mutex);
  const auto found = arrays.plain.find(array);
  require(found != arrays.plain.end());
  Runtime::get().memory.release(found->second->memory);
  arrays.known.erase(array);
  arrays.plain.erase(found);
}

void release_array(cudaMipmappedArray_t array) {
  Arrays& arrays = Arrays::get();
  const std::lock_guard lock(arrays.mutex);
  const auto found = arrays.mipmapped.find(array);
  require(found != arrays.mipmapped.end());
  Runtime::get().memory.release(found->second->whole.memory);
  for (const auto& level : found->second->levels) arrays.known.erase(level.get());
  arrays.mipmapped.erase(found);
}

void forget_arrays_of(int device) {
  Arrays& arrays = Arrays::get();
  std::vector<const void*> plain, mipmapped;
  {
    const std::lock_guard lock(arrays.mutex);
    for (const auto& [handle, array] : arrays.plain)
      if (array->device == device) plain.push_back(handle);
    for (const auto& [handle, array] : arrays.mipmapped)
      if (array->whole.device == device) mipmapped.push_back(handle);
  }
  for (const void* handle : plain)
    release_array(static_cast<cudaArray_t>(const_cast<void*>(handle)));
  for (const void* handle : mipmapped)
    release_array(static_cast<cudaMipmappedArray_t>(const_cast<void*>(handle)));
}

std::size_t most_linear_texels(const cudaChannelFormatDesc& desc, int device) {
  format_of(desc);
  return static_cast<std::size_t>(
      attribute_of(Runtime::get().model, cudaDevAttrMaxTexture1DLinearWidth, device));
}

}  // namespace aisp::sim
