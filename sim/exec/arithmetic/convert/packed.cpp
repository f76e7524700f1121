// cvt with two numbers in a register, or with tf32: f32 pairs to halves, fp8, fp6, fp4 and ue8m0,
// and back to pairs of halves.
#include <bit>

#include "sim/exec/arithmetic/convert/form.hpp"
#include "sim/exec/arithmetic/convert/format.hpp"
#include "sim/exec/lanes.hpp"

namespace aisp::sim {
namespace {

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// Each kind of element: how a number is encoded and decoded, and its distance in a pair.
template <Format format, int spacing>
struct Element {
  static constexpr int step = spacing;
  static std::uint32_t encode(double x, const ConvertForm& form) {
    if (form.relu && x <= 0.0) x = 0.0;
    return sim::encode<format>(x, form.round, form.finite);
  }
  static double decode(std::uint32_t code) {
    return sim::decode<format>(code & ((1u << format.bits()) - 1));
  }
};

// An exponent alone: 2^(code - 127), 0xff is NaN. The sign is dropped.
struct Scale {
  static constexpr int step = 8;
  static std::uint32_t encode(double x, const ConvertForm& form) {
    if (x != x) return 0xff;
    const auto bits = std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63);
    const bool up = form.round == Round::rp && (bits & ((std::uint64_t{1} << 52) - 1)) != 0;
    const int code = static_cast<int>(bits >> 52) - 1023 + 127 + (up ? 1 : 0);
    if (code < 0) return 0;
    if (code > 254) return form.finite ? 254 : 255;
    return static_cast<std::uint32_t>(code);
  }
  static double decode(std::uint32_t code) {
    return (code & 0xff) == 0xff
               ? __builtin_nan("")
               : std::bit_cast<double>(std::uint64_t{(code & 0xff) + 1023 - 127} << 52);
  }
};

using Half = Element<f16_format, 16>;
using Brain = Element<bf16_format, 16>;
using E4M3 = Element<e4m3_format, 8>;
using E5M2 = Element<e5m2_format, 8>;
using E3M2 = Element<e3m2_format, 8>;
using E2M3 = Element<e2m3_format, 8>;
using E2M1 = Element<e2m1_format, 4>;

// a becomes the upper element, b the lower one.
template <class To>
Flow from_floats(Warp& warp, const Op& op, Mask mask) {
  const ConvertForm form = form_of<ConvertForm>(op);
  return map2<std::uint32_t, std::uint32_t>(warp, op, mask, [&](std::uint32_t a, std::uint32_t b) {
    return To::encode(as_float(a), form) << To::step | To::encode(as_float(b), form);
  });
}

template <class To, class From>
Flow from_pair(Warp& warp, const Op& op, Mask mask) {
  const ConvertForm form = form_of<ConvertForm>(op);
  return map1<std::uint32_t, std::uint32_t>(warp, op, mask, [&](std::uint32_t pair) {
    return To::encode(From::decode(pair >> From::step), form) << To::step |
           To::encode(From::decode(pair), form);
  });
}

// tf32 keeps the upper 19 bits of an f32. With .rna hardware passes NaN on, cut; with .satfinite as
// well it takes NaN for something above infinity and steps down once.
Flow to_tf32(Warp& warp, const Op& op, Mask mask) {
  const ConvertForm form = form_of<ConvertForm>(op);
  return map1<std::uint32_t, std::uint32_t>(warp, op, mask, [&](std::uint32_t a) {
    constexpr std::uint32_t last = 1u << 13;
    double x = as_float(a);
    if (x != x && form.round == Round::rna) return (a & ~(last - 1)) - (form.finite ? last : 0);
    if (form.relu && x <= 0.0) x = 0.0;
    return encode<tf32_format>(x, form.round, form.finite) << 13;
  });
}

Handler from_floats_to(Type to) {
  switch (to) {
    case Type::f16x2:
      return from_floats<Half>;
    case Type::bf16x2:
      return from_floats<Brain>;
    case Type::e4m3x2:
      return from_floats<E4M3>;
    case Type::e5m2x2:
      return from_floats<E5M2>;
    case Type::e3m2x2:
      return from_floats<E3M2>;
    case Type::e2m3x2:
      return from_floats<E2M3>;
    case Type::e2m1x2:
      return from_floats<E2M1>;
    case Type::ue8m0x2:
      return from_floats<Scale>;
    case Type::tf32:
      return to_tf32;
    default:
      return nullptr;
  }
}

Handler to_halves_from(Type from) {
  switch (from) {
    case Type::e4m3x2:
      return from_pair<Half, E4M3>;
    case Type::e5m2x2:
      return from_pair<Half, E5M2>;
    case Type::e3m2x2:
      return from_pair<Half, E3M2>;
    case Type::e2m3x2:
      return from_pair<Half, E2M3>;
    case Type::e2m1x2:
      return from_pair<Half, E2M1>;
    default:
      return nullptr;
  }
}

Handler from_halves_to(Type to) {
  switch (to) {
    case Type::e4m3x2:
      return from_pair<E4M3, Half>;
    case Type::e5m2x2:
      return from_pair<E5M2, Half>;
    case Type::e2m1x2:
      return from_pair<E2M1, Half>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler packed_conversion(const ConvertForm& form) {
  if (form.from == Type::f32) return from_floats_to(form.to);
  if (form.from == Type::f16x2) return from_halves_to(form.to);
  if (form.to == Type::f16x2) return to_halves_from(form.from);
  if (form.to == Type::ue8m0x2 && form.from == Type::bf16x2) return from_pair<Scale, Brain>;
  if (form.to == Type::bf16x2 && form.from == Type::ue8m0x2) return from_pair<Brain, Scale>;
  return nullptr;
}

}  // namespace aisp::sim
