#include "sim/exec/image/texel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/number/format.hpp"

namespace aisp::sim {
namespace {

std::uint32_t bits_of_float(float value) { return std::bit_cast<std::uint32_t>(value); }

// The fifth root by Newton's method: sums, products and quotients are the same on every host, what
// a library's pow gives is not.
double fifth_root(double value) {
  if (value == 0) return 0;
  double root = 1;
  for (int i = 0; i < 100; ++i) root = (4 * root + value / (root * root * root * root)) / 5;
  return root;
}

float linear_of_srgb(int code) {
  const double value = code / 255.0;
  if (value <= 0.04045) return static_cast<float>(value / 12.92);
  const double shifted = (value + 0.055) / 1.055, square = shifted * shifted;
  return static_cast<float>(square * fifth_root(square));  // to the power 2.4
}

float from_srgb(std::uint32_t code) {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values{};
    for (int i = 0; i < 256; ++i) values[static_cast<std::size_t>(i)] = linear_of_srgb(i);
    return values;
  }();
  return table[code & 255];
}

std::uint32_t raw_channel(const std::byte* at, int bits) {
  std::uint32_t raw = 0;
  std::memcpy(&raw, at, static_cast<std::size_t>(bits / 8));
  return raw;
}

std::int32_t extended(std::uint32_t raw, int bits) {
  return static_cast<std::int32_t>(raw << (32 - bits)) >> (32 - bits);
}

float fraction_of(std::uint32_t raw, const TexelFormat& format) {
  const int bits = format.bits;
  if (format.kind == ChannelKind::is_unsigned)
    return static_cast<float>(raw) / static_cast<float>((1u << bits) - 1);
  const float most = static_cast<float>((1u << (bits - 1)) - 1);
  return std::max(static_cast<float>(extended(raw, bits)) / most, -1.0f);
}

std::uint32_t channel_of(const std::byte* at, const TexelFormat& format, const Sampler& sampler,
                         int number) {
  const std::uint32_t raw = raw_channel(at, format.bits);
  if (format.kind == ChannelKind::floating)
    return format.bits == 32 ? raw
                             : bits_of_float(static_cast<float>(base::decode<base::f16>(raw)));
  if (sampler.srgb && number < 3) return bits_of_float(from_srgb(raw));
  if (sampler.normalized_values) return bits_of_float(fraction_of(raw, format));
  return format.kind == ChannelKind::is_signed
             ? static_cast<std::uint32_t>(extended(raw, format.bits))
             : raw;
}

// Rounded to the nearest code, ties to even; a NaN is 0.
std::uint32_t code_of(std::uint32_t value, const TexelFormat& format) {
  const auto fraction = std::bit_cast<float>(value);
  if (std::isnan(fraction)) return 0;
  const bool is_unsigned = format.kind == ChannelKind::is_unsigned;
  const double most = is_unsigned ? (1u << format.bits) - 1 : (1u << (format.bits - 1)) - 1;
  const double inside = std::clamp<double>(fraction, is_unsigned ? 0.0 : -1.0, 1.0);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::nearbyint(inside * most)));
}

// Integers that the channel cannot hold become the nearest one that it can.
std::uint32_t clamped(std::uint32_t value, const TexelFormat& format) {
  if (format.bits == 32) return value;
  if (format.kind == ChannelKind::is_unsigned) return std::min(value, (1u << format.bits) - 1);
  const std::int32_t most = (1 << (format.bits - 1)) - 1;
  return static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(value), -most - 1, most));
}

}  // namespace

Texel decode_texel(const std::byte* at, const TexelFormat& format, const Sampler& sampler) {
  Texel texel{{0, 0, 0, 0}};
  for (int i = 0; i < format.channels; ++i)
    texel.channel[i] = channel_of(at + i * (format.bits / 8), format, sampler, i);
  return texel;
}

Texel border_texel(const TexelFormat& format, const Sampler& sampler) {
  Texel texel{{0, 0, 0, 0}};
  for (int i = 0; i < format.channels; ++i) texel.channel[i] = sampler.border[i];
  return texel;
}

std::uint16_t half_of(std::uint32_t f32) {
  return static_cast<std::uint16_t>(base::encode<base::f16>(std::bit_cast<float>(f32)));
}

void encode_texel(std::byte* to, const std::uint32_t* values, int count,
                  const TexelFormat& format) {
  for (int i = 0; i < format.channels; ++i) {
    const std::uint32_t value = i < count ? values[i] : 0;
    std::uint32_t raw = value;
    if (format.kind == ChannelKind::floating)
      raw = format.bits == 16 ? half_of(value) : value;
    else
      raw = format.normalized ? code_of(value, format) : clamped(value, format);
    std::memcpy(to + i * (format.bits / 8), &raw, static_cast<std::size_t>(format.bits / 8));
  }
}

}  // namespace aisp::sim
