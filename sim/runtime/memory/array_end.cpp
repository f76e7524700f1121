#include "sim/runtime/memory/array_end.hpp"

#include "sim/runtime/memory/array.hpp"
#include "sim/runtime/state/error.hpp"

namespace aisp::sim {

void require_direction(bool to_array, bool from_array, cudaMemcpyKind kind) {
  constexpr auto wrong = cudaErrorInvalidMemcpyDirection;
  const bool to_host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
  const bool from_host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
  require(!(to_array && to_host), wrong);
  require(!(from_array && from_host), wrong);
}

ArrayEnd end_in_array(cudaArray_const_t handle, const cudaPos& position, const cudaExtent& extent) {
  const ArrayObject& array = array_of(handle);
  const ImageLevel& level = array.level();
  const auto inside = [](std::size_t first, std::size_t count, std::size_t size) {
    return first <= size && count <= size - first;
  };
  require(inside(position.x, extent.width, level.width));
  require(inside(position.y, extent.height, level.height));
  require(inside(position.z, extent.depth, level.depth));
  const std::uint32_t texel = array.image.format.bytes();
  const auto at =
      level.at(static_cast<std::uint32_t>(position.x), static_cast<std::uint32_t>(position.y),
               static_cast<std::uint32_t>(position.z), texel);
  return {reinterpret_cast<std::byte*>(at), level.pitch, level.plane, texel, array.device};
}

}  // namespace aisp::sim
