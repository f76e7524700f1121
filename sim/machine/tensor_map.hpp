// A tensor map as this simulator writes it into the 128 opaque bytes of CUtensorMap, and its copies
// in memory that tensormap.replace edits.
#pragma once

#include <cstdint>
#include <string>

namespace aisp::sim {

// Enumerators have the values of CUtensorMapDataType and friends, so the face can pass them on.
enum class TensorType : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  u4x16_align8,
  u4x16_align16,
  u6x16_align16,
  count,
};

// Which bits of a shared-memory address are exchanged; `span` bytes belong together.
enum class Swizzle : std::uint8_t {
  none,
  b32,
  b64,
  b128,
  b128_atom32,
  b128_atom32_flip8,
  b128_atom64,
  b96,  // has no name for the host: tensormap.replace alone makes such a map
  count
};

// How the tensor is walked through.
enum class MapKind : std::uint8_t {
  tiled,
  im2col,
  wide,      // im2col::w: along W alone
  wide_128,  // im2col::w::128: 128 pixels, whatever pixels_per_column says
};

// With interleave, dimension 0 counts units of 16 or 32 bytes, dimension rank - 2 slices of
// channels, of which one copy moves exactly one.
struct TensorMap {
  static constexpr std::uint32_t tag = 0x614d5370;  // marks the bytes as ours
  std::uint32_t magic = tag;
  MapKind kind = MapKind::tiled;
  std::uint8_t rank = 0;          // 1..5
  std::uint8_t element_type = 0;  // TensorType
  std::uint8_t interleave = 0;    // 0 none, 1 16B, 2 32B
  std::uint8_t swizzle = 0;       // Swizzle
  std::uint8_t l2_promotion = 0;
  std::uint8_t nan_fill = 0;  // out-of-bounds: 0 zeros, 1 NaN (request zero-fma)
  std::uint8_t reserved = 0;
  std::uint16_t pixels_per_column = 0, channels_per_pixel = 0;  // im2col
  std::uint64_t address = 0;
  std::uint64_t dim[5]{};     // elements, innermost first, 1 .. 2^32
  std::uint64_t stride[4]{};  // bytes, of dimensions 1..4
  std::uint16_t box[5]{};     // elements
  std::uint8_t element_stride[5]{};
  std::int16_t lower[3]{}, upper[3]{};  // im2col: corners of the bounding box, W H D

  TensorType type() const { return static_cast<TensorType>(element_type); }
  bool is_im2col() const { return kind != MapKind::tiled; }
  bool is_wide() const { return kind >= MapKind::wide; }
  std::uint32_t pixels() const { return kind == MapKind::wide_128 ? 128 : pixels_per_column; }
};
static_assert(sizeof(TensorMap) <= 128);

int tensor_map_element_bits(TensorType type);    // in global memory: 4 and 6 for the packed types
int tensor_map_element_bytes(int element_type);  // 0 for the packed sub-byte types
// Sixteen elements take 16 bytes of shared memory and fewer of global memory.
bool is_padded(TensorType type);
int swizzle_span(int swizzle);  // bytes: 0, 32, 64, 96, 128

// The rule that cuTensorMapEncodeTiled, Im2col and Im2colWide would refuse the map by, with its
// numbers; empty when it is fine. `device_major` is that of the device: 9 knows neither the
// packed types nor the 128-byte swizzles with larger atoms.
std::string why_invalid(const TensorMap& map, int device_major);

}  // namespace aisp::sim
