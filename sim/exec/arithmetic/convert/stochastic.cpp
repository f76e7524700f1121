// cvt.rs: random bits of the program are added to the part of the significand that is cut off, and
// a carry rounds away from zero. Where a destination cuts off more bits than there are random ones,
// these stand at the top. Which bits of the operand a number gets was measured on a B200 for
// bf16x2, e4m3x4, e5m2x4 and e2m1x4 and published; fp6 is taken to be like fp8, f16x2 like bf16x2
// with the 13 bits that the manual names.
#include <bit>

#include "base/refuse.hpp"
#include "sim/exec/arithmetic/convert/form.hpp"
#include "sim/exec/arithmetic/convert/format.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint32_t mirrored(std::uint32_t sixteen) {
  std::uint32_t result = 0;
  for (int bit = 0; bit < 16; ++bit) result |= (sixteen >> bit & 1) << (15 - bit);
  return result;
}

// The random bits of each number, in the order of the operands.
template <int count, int step>
constexpr void random_parts(std::uint32_t bits, std::uint32_t (&parts)[count]) {
  std::uint32_t upper = bits >> 16, lower = bits & 0xffff;
  if constexpr (count == 2) {
    parts[0] = upper;
    parts[1] = lower;
    return;
  }
  if constexpr (step == 4) {  // one byte of each half
    upper = (bits >> 8 & 0xff) | bits >> 24 << 8;
    lower = (bits & 0xff) | (bits >> 16 & 0xff) << 8;
  }
  // Two numbers share sixteen bits: the first one reads them backwards.
  parts[0] = mirrored(upper);
  parts[1] = upper;
  parts[2] = mirrored(lower);
  parts[3] = lower;
}

constexpr int fraction_of_f32 = 23;

template <Format format>
std::uint32_t encode_randomly(std::uint32_t bits, std::uint32_t random, int width,
                              const ConvertForm& form) {
  constexpr std::uint32_t f32_infinity = 0x7f800000;
  const std::uint32_t magnitude = bits & 0x7fffffff, sign = bits >> 31 != 0 ? format.sign() : 0;
  if (magnitude > f32_infinity) return format.nan();
  if (form.relu && sign != 0) return 0;
  if (magnitude == 0) return sign;
  const bool saturates = form.finite || format.top != Format::Top::ieee;
  const std::uint32_t too_large = sign | (saturates ? format.largest() : format.infinity());
  if (magnitude == f32_infinity) return too_large;

  // Normalised: 1.fraction * 2^exponent.
  const int lead = std::bit_width(magnitude) - 1;
  const bool subnormal = lead < fraction_of_f32;
  const int exponent =
      subnormal ? lead - 149 : static_cast<int>(magnitude >> fraction_of_f32) - 127;
  const std::uint64_t significand = subnormal ? std::uint64_t{magnitude} << (fraction_of_f32 - lead)
                                              : (magnitude & 0x7fffff) | 1u << fraction_of_f32;
  const int least = std::max(exponent, 1 - format.bias());
  const int cut = fraction_of_f32 - format.fraction_bits + (least - exponent);
  if (cut > fraction_of_f32 + 1 + width) return sign;  // even with all random bits set
  const std::uint64_t kept = (significand + (std::uint64_t{random} << (cut - width))) >> cut;
  const std::uint64_t code =
      (static_cast<std::uint64_t>(least - 1 + format.bias()) << format.fraction_bits) + kept;
  return code > format.largest() ? too_large : sign | static_cast<std::uint32_t>(code);
}

// The list holds the numbers, of which the first becomes the uppermost, and the random bits.
template <Format format, int count, int step>
Flow round_randomly(Warp& warp, const Op& op, Mask mask) {
  constexpr int width = count == 4 ? 16 : fraction_of_f32 - format.fraction_bits;
  const auto form = form_of<ConvertForm>(op);
  const Ref* const from = warp.list(op);
  auto* const to = warp.write<std::uint32_t>(op.dst);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint32_t parts[count];
    random_parts<count, step>(warp.read<std::uint32_t>(from[count])[lane], parts);
    std::uint32_t packed = 0;
    for (int i = 0; i < count; ++i)
      packed =
          packed << step | encode_randomly<format>(warp.read<std::uint32_t>(from[i])[lane],
                                                   parts[i] & ((1u << width) - 1), width, form);
    to[lane] = packed;
  }
  return Flow::next;
}

Handler stochastic_conversion(Type to) {
  switch (to) {
    case Type::f16x2:
      return round_randomly<f16_format, 2, 16>;
    case Type::bf16x2:
      return round_randomly<bf16_format, 2, 16>;
    case Type::e4m3x4:
      return round_randomly<e4m3_format, 4, 8>;
    case Type::e5m2x4:
      return round_randomly<e5m2_format, 4, 8>;
    case Type::e3m2x4:
      return round_randomly<e3m2_format, 4, 8>;
    case Type::e2m3x4:
      return round_randomly<e2m3_format, 4, 8>;
    case Type::e2m1x4:
      return round_randomly<e2m1_format, 4, 4>;
    default:
      return nullptr;
  }
}

}  // namespace

void bind_stochastic(Binding& b, const ConvertForm& form) {
  b.op.run = stochastic_conversion(form.to);
  if (b.op.run == nullptr || form.from != Type::f32)
    b.refuse(".rs converts f32 to f16x2, bf16x2 and four numbers of fp8, fp6 or fp4");
  b.require(sm_100a, ".rs");
  if (form.rounds || form.ftz || form.sat) b.refuse("takes .relu and .satfinite only");
  const bool four = form.to != Type::f16x2 && form.to != Type::bf16x2;
  if (four && !form.finite) b.refuse("needs .satfinite");
  b.expect_operands(four ? 3 : 4, four ? 3 : 4);
  b.op.dst = b.write(0, form.to);
  if (four) {
    const ptx::Operand& numbers = b.operand(1);
    if (numbers.kind != ptx::Operand::Kind::vector || numbers.parts.size() != 4)
      b.refuse("a vector of 4 numbers is expected");
    for (const ptx::Operand& part : numbers.parts) b.list(b.read(part, Type::f32));
  } else {
    for (const int i : {1, 2}) b.list(b.read(i, Type::f32));
  }
  const ptx::Operand& random = b.operand(four ? 2 : 3);
  if (b.register_type(random) != Type::b32) b.refuse("the random bits are a register of type .b32");
  b.list(b.read(random, Type::b32));
  set_form(b.op, form);
}

}  // namespace aisp::sim
