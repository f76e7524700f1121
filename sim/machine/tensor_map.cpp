#include "sim/machine/tensor_map.hpp"

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

using base::say;

// A box must fit into the shared memory of a multiprocessor, whatever a block may have of it.
constexpr std::uint64_t largest_box_bytes = 228 * 1024;

bool is_float(TensorType type) { return type >= TensorType::f16 && type <= TensorType::tf32_ftz; }
bool is_packed(TensorType type) { return type >= TensorType::u4x16_align8; }

std::uint64_t inner_elements(const TensorMap& map) {
  return map.is_im2col() ? map.channels_per_pixel : map.box[0];
}

std::string wrong_kinds(const TensorMap& map, int major) {
  if (map.element_type >= static_cast<int>(TensorType::count))
    return say("element type ", +map.element_type, " does not exist");
  if (major < 10 && is_packed(map.type()))
    return say("element type ", +map.element_type, " needs a device of compute capability 10.0");
  if (map.interleave > 2) return say("interleave ", +map.interleave, " does not exist");
  if (map.swizzle >= static_cast<int>(Swizzle::count))
    return say("swizzle ", +map.swizzle, " does not exist");
  if (major < 10 && map.swizzle > static_cast<int>(Swizzle::b128))
    return say("swizzle ", +map.swizzle, " needs a device of compute capability 10.0");
  if (map.l2_promotion > 3) return say("L2 promotion ", +map.l2_promotion, " does not exist");
  if (map.nan_fill > 1) return say("out-of-bounds fill ", +map.nan_fill, " does not exist");
  if (map.nan_fill != 0 && !is_float(map.type()))
    return say("NaN fill needs a floating-point element type, not ", +map.element_type);
  if (map.type() == TensorType::u6x16_align16 && map.interleave != 0)
    return "6-bit elements cannot be interleaved";
  if (map.swizzle == static_cast<int>(Swizzle::b96) && map.interleave != 0)
    return "the 96-byte swizzle has no interleaved layout";
  if (map.is_wide()) {
    if (major < 10) return "im2col along W needs a device of compute capability 10.0";
    if (map.interleave != 0) return "im2col along W has no interleaved layout";
    const auto swizzle = static_cast<Swizzle>(map.swizzle);
    if (swizzle != Swizzle::b64 && swizzle != Swizzle::b128 && swizzle != Swizzle::b128_atom32)
      return say("swizzle ", +map.swizzle,
                 " does not go with im2col along W: 64B, 128B or 128B "
                 "with atoms of 32B");
  }
  const int least_rank = map.is_im2col() || map.interleave != 0 ? 3 : 1;
  if (map.rank < least_rank || map.rank > 5)
    return say("rank ", +map.rank, " is outside of ", least_rank, " to 5");
  return {};
}

std::string wrong_tensor(const TensorMap& map) {
  const std::uint64_t align = map.interleave == 2 || is_padded(map.type()) ? 32 : 16;
  if (map.address % align != 0)
    return say("global address ", map.address, " is no multiple of ", align);
  for (int i = 0; i < map.rank; ++i)
    if (map.dim[i] == 0 || map.dim[i] > std::uint64_t{1} << 32)
      return say("dimension ", i, " of ", map.dim[i], " elements is outside of 1 to 2^32");
  const std::uint64_t pack = is_padded(map.type()) ? 128 : is_packed(map.type()) ? 2 : 1;
  if (map.dim[0] % pack != 0)
    return say("dimension 0 of ", map.dim[0], " elements is no multiple of ", pack);
  for (int i = 0; i + 1 < map.rank; ++i)
    if (map.stride[i] % align != 0 || map.stride[i] >= std::uint64_t{1} << 40)
      return say("stride of ", map.stride[i], " bytes of dimension ", i + 1, " is no multiple of ",
                 align, " below 2^40");
  for (int i = 0; i < map.rank; ++i)
    if (map.element_stride[i] == 0 || map.element_stride[i] > 8)
      return say("element stride ", +map.element_stride[i], " of dimension ", i,
                 " is outside of 1 to 8");
  return {};
}

std::string wrong_inner(const TensorMap& map) {
  const std::uint64_t inner = inner_elements(map);
  const std::uint64_t bits = inner * tensor_map_element_bits(map.type());
  if (is_padded(map.type())) {
    if (inner != 128) return say("packed elements need an inner box of 128, not ", inner);
    const auto swizzle = static_cast<Swizzle>(map.swizzle);
    if (swizzle == Swizzle::b32 || swizzle == Swizzle::b64 || swizzle == Swizzle::b96 ||
        swizzle == Swizzle::b128_atom32_flip8)
      return say("swizzle ", +map.swizzle, " is not allowed with padded elements");
    return {};
  }
  if (bits % 128 != 0)
    return say("inner box of ", inner, " elements, ", bits / 8, " bytes: no multiple of 16 bytes");
  const int span = swizzle_span(map.swizzle);
  if (map.interleave == 0 && span != 0 && bits / 8 > static_cast<std::uint64_t>(span))
    return say("inner box of ", bits / 8, " bytes is wider than the swizzle of ", span);
  return {};
}

std::string wrong_box(const TensorMap& map) {
  std::uint64_t bytes = std::uint64_t{map.box[0]} * tensor_map_element_bits(map.type()) / 8;
  for (int i = 0; i < map.rank; ++i) {
    if (map.box[i] == 0 || map.box[i] > 256)
      return say("box of ", map.box[i], " elements in dimension ", i, " is outside of 1 to 256");
    if (i > 0) bytes *= (map.box[i] + map.element_stride[i] - 1) / map.element_stride[i];
  }
  if (bytes > largest_box_bytes)
    return say("box of ", bytes, " bytes is larger than ", largest_box_bytes);
  return {};
}

std::string wrong_pixels(const TensorMap& map) {
  static constexpr int corner_bits[] = {15, 7, 4};  // by rank
  const int limit = 1 << corner_bits[map.is_wide() ? 0 : map.rank - 3];
  const int first = map.interleave != 0 ? 0 : 1;  // dimension W
  for (int i = 0; i < (map.is_wide() ? 1 : map.rank - 2); ++i) {
    for (const int corner : {map.lower[i], map.upper[i]})
      if (corner < -limit || corner >= limit)
        return say("corner ", corner, " of the pixel box is outside of ", -limit, " to ",
                   limit - 1);
    const auto last = static_cast<std::int64_t>(map.dim[first + i]) - 1 + map.upper[i];
    if (map.lower[i] > last)
      return say("the pixel box is empty: ", map.lower[i], " to ", last, " in dimension ",
                 first + i);
  }
  if (map.channels_per_pixel == 0 || map.channels_per_pixel > 256)
    return say(map.channels_per_pixel, " channels per pixel are outside of 1 to 256");
  if (map.pixels() == 0 || map.pixels() > 1024)
    return say(map.pixels(), " pixels per column are outside of 1 to 1024");
  const std::uint64_t bytes = std::uint64_t{map.channels_per_pixel} * map.pixels() *
                              tensor_map_element_bits(map.type()) / 8;
  if (bytes > largest_box_bytes)
    return say("column of ", bytes, " bytes is larger than ", largest_box_bytes);
  return {};
}

}  // namespace

int tensor_map_element_bits(TensorType type) {
  static constexpr std::uint8_t bits[] = {8,  16, 32, 32, 64, 64, 16, 32,
                                          64, 16, 32, 32, 32, 4,  4,  6};
  static_assert(std::size(bits) == static_cast<int>(TensorType::count));
  return bits[static_cast<int>(type)];
}

int tensor_map_element_bytes(int element_type) {
  if (element_type < 0 || element_type >= static_cast<int>(TensorType::count)) return 0;
  return tensor_map_element_bits(static_cast<TensorType>(element_type)) / 8;
}

bool is_padded(TensorType type) { return type >= TensorType::u4x16_align16; }

int swizzle_span(int swizzle) {
  static constexpr int spans[] = {0, 32, 64, 128, 128, 128, 128, 96};
  static_assert(std::size(spans) == static_cast<int>(Swizzle::count));
  return spans[swizzle];
}

std::string why_invalid(const TensorMap& map, int device_major) {
  std::string why = wrong_kinds(map, device_major);
  if (why.empty()) why = wrong_tensor(map);
  if (why.empty()) why = map.is_im2col() ? wrong_pixels(map) : wrong_box(map);
  if (why.empty()) why = wrong_inner(map);
  return why;
}

}  // namespace aisp::sim
