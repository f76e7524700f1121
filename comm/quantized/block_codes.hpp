// Numbers as codes of one byte, 128 neighbours with one f32 scale: a number is code * scale.
//
//   codes  largest  scale of a block                    rounding of number / scale
//   int8   127      amax / 127, rounded up              to the nearest integer, ties to even
//   e4m3   448      amax / 448, rounded up              to the nearest e4m3 number, ties to even
//
// Rounded up, so that no number of the block is beyond the largest code and none saturates; only
// where the largest code times the scale would leave f32 the scale is the largest that does not.
// Subnormal numbers are numbers like others, and so are subnormal scales. A block of zeros has the
// scale 0 and gives zeros (int8 has no -0). A block with a NaN or an infinity has the scale NaN,
// and all of it is NaN: what was not finite cannot come out as a finite number.
//
// Numbers that go to another rank are a packet: the codes, padded to 16 bytes, then the scales.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "comm/rounded_up.hpp"

namespace aisp::comm {

enum class Codes { int8, e4m3 };

constexpr const char* name_of(Codes codes) { return codes == Codes::int8 ? "int8" : "e4m3"; }

inline constexpr std::int64_t block_elements = 128;
inline constexpr std::int64_t packet_alignment = 16;

COMM_FN std::int64_t blocks_of(std::int64_t count) {
  return (count + block_elements - 1) / block_elements;
}
// Where the scales of a packet of so many numbers begin.
COMM_FN std::int64_t scales_offset(std::int64_t count) {
  return rounded_up(count, packet_alignment);
}
// 132 bytes for 128 numbers: 0.258 of their f32 bytes.
COMM_FN std::int64_t packet_bytes(std::int64_t count) {
  return scales_offset(count) + blocks_of(count) * std::int64_t{sizeof(float)};
}

template <Codes codes>
struct CodesOf;
// The largest scale is the largest f32 number that times the largest code is no more than f32 has.
template <>
struct CodesOf<Codes::int8> {
  static constexpr float largest = 127.0f;
  static constexpr float largest_scale = 0x1.020406p+121f;
};
template <>
struct CodesOf<Codes::e4m3> {
  static constexpr float largest = 448.0f;
  static constexpr float largest_scale = 0x1.249248p+119f;
};

namespace block_codes_detail {
template <Codes codes>
constexpr bool scale_is_the_largest() {
  constexpr double scale = CodesOf<codes>::largest_scale, most = std::numeric_limits<float>::max();
  constexpr double next =
      std::bit_cast<float>(std::bit_cast<std::uint32_t>(CodesOf<codes>::largest_scale) + 1);
  return scale * CodesOf<codes>::largest <= most && next * CodesOf<codes>::largest > most;
}
static_assert(scale_is_the_largest<Codes::int8>() && scale_is_the_largest<Codes::e4m3>());
}  // namespace block_codes_detail

// The scale of a block whose largest magnitude is amax, on the host: the kernels find the same
// bits.
template <Codes codes>
float block_scale(float amax) {
  if (!(amax <= std::numeric_limits<float>::max())) return std::numeric_limits<float>::quiet_NaN();
  constexpr float largest = CodesOf<codes>::largest;
  auto scale = static_cast<float>(double{amax} / largest);
  if (double{scale} * largest < amax)  // exact: 24 and 7 bits
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  return scale < CodesOf<codes>::largest_scale ? scale : CodesOf<codes>::largest_scale;
}

}  // namespace aisp::comm
