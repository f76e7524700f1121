// cvt of one number with a floating-point type on at least one side. The 32 numbers go through
// doubles: every source is exact there but 64-bit integers, which are rounded to odd, so that the
// rounding to the destination is the only one. f64 from 64-bit integers has a handler of its own.
#include <cmath>
#include <cstring>

#include "base/host/vector.hpp"
#include "sim/exec/arithmetic/convert/form.hpp"
#include "sim/exec/arithmetic/convert/format.hpp"
#include "sim/exec/arithmetic/floating/element.hpp"
#include "sim/exec/arithmetic/floating/flushing.hpp"
#include "sim/exec/arithmetic/floating/nan.hpp"

namespace aisp::sim {
namespace {

constexpr double smallest_f32 = 0x1p-126;

struct Values {
  alignas(64) double number[lanes];
};
struct Codes {
  alignas(64) std::uint64_t bits[lanes];
};

void read_lanes(const Warp& warp, const Op& op, bool wide, Codes& codes) {
  if (wide) {
    std::memcpy(codes.bits, warp.read<std::uint64_t>(op.a), sizeof codes.bits);
  } else {
    const auto* from = warp.read<std::uint32_t>(op.a);
    for (int lane = 0; lane < lanes; ++lane) codes.bits[lane] = from[lane];
  }
}

void write_lanes(Warp& warp, const Op& op, Mask mask, int bits, const Codes& codes) {
  if (bits == 64) {
    auto* to = warp.write<std::uint64_t>(op.dst);
    for (int lane = 0; lane < lanes; ++lane)
      to[lane] = (mask >> lane & 1) != 0 ? codes.bits[lane] : to[lane];
  } else {
    auto* to = warp.write<std::uint32_t>(op.dst);
    const std::uint32_t kept = bits == 16 ? 0xffffu : 0xffffffffu;
    for (int lane = 0; lane < lanes; ++lane)
      to[lane] =
          (mask >> lane & 1) != 0 ? static_cast<std::uint32_t>(codes.bits[lane]) & kept : to[lane];
  }
}

template <class T>
void from_integer(const Codes& codes, Values& values) {
  for (int lane = 0; lane < lanes; ++lane)
    values.number[lane] = static_cast<double>(static_cast<T>(codes.bits[lane]));
}

// Truncated to 53 bits with the last one set when anything was cut off.
double to_odd(std::uint64_t magnitude) {
  const int excess = 11 - std::countl_zero(magnitude | 1);
  if (excess <= 0) return static_cast<double>(magnitude);
  const std::uint64_t cut = magnitude & ((std::uint64_t{1} << excess) - 1);
  return static_cast<double>((magnitude ^ cut) | std::uint64_t{cut != 0} << excess);
}

void from_u64(const Codes& codes, Values& values) {
  for (int lane = 0; lane < lanes; ++lane) values.number[lane] = to_odd(codes.bits[lane]);
}
void from_s64(const Codes& codes, Values& values) {
  for (int lane = 0; lane < lanes; ++lane) {
    const std::uint64_t bits = codes.bits[lane];
    values.number[lane] = bits >> 63 != 0 ? -to_odd(0 - bits) : to_odd(bits);
  }
}

// NaN keeps its bits, made quiet: f64 shows them.
void from_f32(const Codes& codes, Values& values) {
  for (int lane = 0; lane < lanes; ++lane)
    values.number[lane] = std::bit_cast<float>(static_cast<std::uint32_t>(codes.bits[lane]));
}
void from_f16(const Codes& codes, Values& values) {
  alignas(32) std::int32_t halves[lanes];
  alignas(32) float floats[lanes];
  for (int lane = 0; lane < lanes; ++lane) halves[lane] = codes.bits[lane] & 0xffff;
  for (int lane = 0; lane < lanes; lane += base::vector_lanes)
    base::store(floats + lane, base::floats_of_f16(base::load<base::Ints>(halves + lane)));
  for (int lane = 0; lane < lanes; ++lane) values.number[lane] = floats[lane];
}
void from_bf16(const Codes& codes, Values& values) {
  for (int lane = 0; lane < lanes; ++lane)
    values.number[lane] = std::bit_cast<float>(static_cast<std::uint32_t>(codes.bits[lane] << 16));
}
void from_f64(const Codes& codes, Values& values) {
  for (int lane = 0; lane < lanes; ++lane)
    values.number[lane] = finish<false>(std::bit_cast<double>(codes.bits[lane]),
                                        std::bit_cast<double>(codes.bits[lane]));
}

void load(const ConvertForm& form, const Codes& codes, Values& values) {
  switch (form.from) {
    case Type::u8:
      return from_integer<std::uint8_t>(codes, values);
    case Type::s8:
      return from_integer<std::int8_t>(codes, values);
    case Type::u16:
      return from_integer<std::uint16_t>(codes, values);
    case Type::s16:
      return from_integer<std::int16_t>(codes, values);
    case Type::u32:
      return from_integer<std::uint32_t>(codes, values);
    case Type::s32:
      return from_integer<std::int32_t>(codes, values);
    case Type::u64:
      return from_u64(codes, values);
    case Type::s64:
      return from_s64(codes, values);
    case Type::f16:
      return from_f16(codes, values);
    case Type::bf16:
      return from_bf16(codes, values);
    case Type::f32:
      return from_f32(codes, values);
    default:
      return from_f64(codes, values);
  }
}

template <class F>
void change(Values& values, F f) {
  for (double& number : values.number) number = f(number);
}

void round_to_integral(Round round, Values& values) {
  switch (round) {
    case Round::rz:
      return change(values, [](double x) { return std::trunc(x); });
    case Round::rm:
      return change(values, [](double x) { return std::floor(x); });
    case Round::rp:
      return change(values, [](double x) { return std::ceil(x); });
    default:
      return change(values, [](double x) { return std::nearbyint(x); });
  }
}

// Of f32 operands. Hardware does not flush on the way to f16, and canonicalises NaN on the way to
// f64 only when it flushes.
void flush(const ConvertForm& form, Values& values) {
  if (form.to == Type::f16) return;
  change(values, [](double x) {
    const double kept = std::fabs(x) < smallest_f32 ? std::copysign(0.0, x) : x;
    return x == x ? kept : std::bit_cast<double>(std::uint64_t{0x7fffffffe0000000});
  });
}

// Integers saturate. NaN becomes 0, or the top bit alone where f64 or a 64-bit result is involved.
template <class T>
void to_integer(const ConvertForm& form, const Values& values, Codes& codes) {
  constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double high = 0x1p1 * (std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));
  const bool marked = form.from == Type::f64 || sizeof(T) == 8;
  const T nan = marked ? T(T{1} << (8 * sizeof(T) - 1)) : T{0};
  for (int lane = 0; lane < lanes; ++lane) {
    const double x = values.number[lane];
    T result = std::numeric_limits<T>::max();
    if (x < high) result = x >= low ? static_cast<T>(x) : std::numeric_limits<T>::min();
    if (x != x) result = nan;
    codes.bits[lane] = static_cast<std::uint64_t>(result);
  }
}

void saturate(Values& values) {
  change(values, [](double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; });
}

// The pointers keep the conversion between the two changes of the control register.
void to_f32(const ConvertForm& form, const Values& values, Codes& codes) {
  const bool one_nan = form.from != Type::f64;
  const ArithmeticScope scope(form.round, form.ftz && base::host::tiny_after_rounding);
  for (int lane = 0; lane < lanes; ++lane) {
    float x = static_cast<float>(values.number[lane]);
    if (!base::host::tiny_after_rounding && form.ftz)
      x = flushed_result(x, [&] { return static_cast<float>(values.number[lane] * tiny_scale); });
    codes.bits[lane] = one_nan && x != x ? 0x7fffffffu : std::bit_cast<std::uint32_t>(x);
  }
}

template <Format format>
void to_half(const ConvertForm& form, const Values& values, Codes& codes) {
  for (int lane = 0; lane < lanes; ++lane) {
    const double x = values.number[lane];
    codes.bits[lane] = encode<format>(x, form.round, form.finite);
    if (form.from == Type::f64 && x != x)  // the upper bits of its NaN
      codes.bits[lane] = std::bit_cast<std::uint64_t>(x) >> 63 << 15 | format.infinity() |
                         (std::bit_cast<std::uint64_t>(x) >> (52 - format.fraction_bits) &
                          ((1u << format.fraction_bits) - 1));
  }
}

void to_f64(const ConvertForm&, const Values& values, Codes& codes) {
  std::memcpy(codes.bits, values.number, sizeof codes.bits);
}

void store(const ConvertForm& form, const Values& values, Codes& codes) {
  switch (form.to) {
    case Type::u8:
      return to_integer<std::uint8_t>(form, values, codes);
    case Type::s8:
      return to_integer<std::int8_t>(form, values, codes);
    case Type::u16:
      return to_integer<std::uint16_t>(form, values, codes);
    case Type::s16:
      return to_integer<std::int16_t>(form, values, codes);
    case Type::u32:
      return to_integer<std::uint32_t>(form, values, codes);
    case Type::s32:
      return to_integer<std::int32_t>(form, values, codes);
    case Type::u64:
      return to_integer<std::uint64_t>(form, values, codes);
    case Type::s64:
      return to_integer<std::int64_t>(form, values, codes);
    case Type::f16:
      return to_half<f16_format>(form, values, codes);
    case Type::bf16:
      return to_half<bf16_format>(form, values, codes);
    case Type::f32:
      return to_f32(form, values, codes);
    default:
      return to_f64(form, values, codes);
  }
}

Flow convert(Warp& warp, const Op& op, Mask mask) {
  const ConvertForm form = form_of<ConvertForm>(op);
  Codes codes;
  Values values;
  read_lanes(warp, op, form.from_wide, codes);
  load(form, codes, values);
  if (form.ftz && form.from == Type::f32) flush(form, values);
  if (form.integral) round_to_integral(form.round, values);
  if (form.sat && is_float(form.to)) saturate(values);
  if (form.relu) change(values, [](double x) { return x <= 0.0 ? 0.0 : x; });
  store(form, values, codes);
  write_lanes(warp, op, mask, form.to_bits, codes);
  return Flow::next;
}

// 64-bit integers to f64.
template <class T>
Flow integer_to_f64(Warp& warp, const Op& op, Mask mask) {
  const ConvertForm form = form_of<ConvertForm>(op);
  Codes codes;
  {
    const ArithmeticScope scope(form.round, false);
    const T* from = warp.read<T>(op.a);
    for (int lane = 0; lane < lanes; ++lane) {
      const double x = from[lane] == 0 ? 0.0 : static_cast<double>(from[lane]);
      const double clamped = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
      codes.bits[lane] = std::bit_cast<std::uint64_t>(form.sat ? clamped : x);
    }
    write_lanes(warp, op, mask, 64, codes);
  }
  return Flow::next;
}

}  // namespace

Handler value_conversion(const ConvertForm& form) {
  if (form.to == Type::f64 && form.from == Type::u64) return integer_to_f64<std::uint64_t>;
  if (form.to == Type::f64 && form.from == Type::s64) return integer_to_f64<std::int64_t>;
  return convert;
}

}  // namespace aisp::sim
