#include "sim/runtime/memory/array_copy.hpp"

#include "sim/runtime/memory/array.hpp"
#include "sim/runtime/memory/array_end.hpp"
#include "sim/runtime/memory/copy.hpp"
#include "sim/runtime/state/error.hpp"

namespace aisp::sim {
namespace {

// The 1D and 2D copies take arrays of one and two dimensions, and the levels of such.
const ArrayObject& flat_array(cudaArray_const_t handle) {
  const ArrayObject& array = array_of(handle);
  require(array.level().depth == 1);
  return array;
}

std::byte* rows_in(const ArrayPlace& place, std::size_t width, std::size_t height,
                   std::size_t& pitch) {
  const ArrayObject& array = flat_array(place.array);
  const ImageLevel& level = array.level();
  require(place.x <= array.row_bytes() && width <= array.row_bytes() - place.x);
  require(place.y <= level.height && height <= level.height - place.y);
  const std::size_t texel = array.image.format.bytes();
  require(place.x % texel == 0 && width % texel == 0);
  pitch = level.pitch;
  return reinterpret_cast<std::byte*>(level.base) + place.y * level.pitch + place.x;
}

// Rows of an array follow each other without a gap.
std::byte* bytes_in(const ArrayPlace& place, std::size_t bytes) {
  const ArrayObject& array = flat_array(place.array);
  const ImageLevel& level = array.level();
  require(place.x < array.row_bytes() && place.y < level.height);
  const std::size_t first = place.y * level.pitch + place.x;
  require(bytes <= level.plane - first);
  const std::size_t texel = array.image.format.bytes();
  require(place.x % texel == 0 && bytes % texel == 0);
  return reinterpret_cast<std::byte*>(level.base) + first;
}

}  // namespace

CopyCall rows_to_array(const ArrayPlace& to, const void* from, std::size_t from_pitch,
                       std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  require_direction(true, false, kind);
  require(from_pitch >= width);
  std::size_t pitch = 0;
  std::byte* const at = rows_in(to, width, height, pitch);
  return copy_of_rows(at, pitch, from, from_pitch, width, height, kind);
}

CopyCall rows_from_array(void* to, std::size_t to_pitch, const ArrayPlace& from, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind) {
  require_direction(false, true, kind);
  require(to_pitch >= width);
  std::size_t pitch = 0;
  const std::byte* const at = rows_in(from, width, height, pitch);
  return copy_of_rows(to, to_pitch, at, pitch, width, height, kind);
}

CopyCall rows_between_arrays(const ArrayPlace& to, const ArrayPlace& from, std::size_t width,
                             std::size_t height, cudaMemcpyKind kind) {
  require_direction(true, true, kind);
  std::size_t to_pitch = 0, from_pitch = 0;
  std::byte* const to_at = rows_in(to, width, height, to_pitch);
  const std::byte* const from_at = rows_in(from, width, height, from_pitch);
  return copy_of_rows(to_at, to_pitch, from_at, from_pitch, width, height, kind);
}

CopyCall bytes_to_array(const ArrayPlace& to, const void* from, std::size_t bytes,
                        cudaMemcpyKind kind) {
  require_direction(true, false, kind);
  return plain_copy(bytes_in(to, bytes), from, bytes, kind);
}

CopyCall bytes_from_array(void* to, const ArrayPlace& from, std::size_t bytes,
                          cudaMemcpyKind kind) {
  require_direction(false, true, kind);
  return plain_copy(to, bytes_in(from, bytes), bytes, kind);
}

CopyCall bytes_between_arrays(const ArrayPlace& to, const ArrayPlace& from, std::size_t bytes,
                              cudaMemcpyKind kind) {
  require_direction(true, true, kind);
  return plain_copy(bytes_in(to, bytes), bytes_in(from, bytes), bytes, kind);
}

}  // namespace aisp::sim
