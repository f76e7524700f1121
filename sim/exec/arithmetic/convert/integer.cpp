// cvt between integers, and cvt.pack.
#include <algorithm>
#include <limits>

#include "sim/exec/arithmetic/convert/form.hpp"
#include "sim/exec/lanes.hpp"

namespace aisp::sim {
namespace {

// How far the source's value is shifted up and back to extend it, the same for the result within
// its register, and for cutting off what the register does not have.
struct ExtendForm {
  std::uint8_t in = 0, out = 0, unused = 0;
};

template <class From, class To, bool from_signed, bool to_signed>
Flow extend(Warp& warp, const Op& op, Mask mask) {
  using Source = std::conditional_t<from_signed, std::make_signed_t<From>, From>;
  using Result = std::conditional_t<to_signed, std::make_signed_t<To>, To>;
  const auto form = form_of<ExtendForm>(op);
  const int in = form.in, out = form.out, unused = form.unused;
  return map1<To, From>(warp, op, mask, [=](From x) {
    const Source value = static_cast<Source>(x << in) >> in;
    const To wide = static_cast<To>(value);
    const auto kept = static_cast<To>(static_cast<Result>(wide << out) >> out);
    return static_cast<To>(static_cast<To>(kept << unused) >> unused);
  });
}

template <class From, class To>
Handler by_sign(bool from_signed, bool to_signed) {
  if (from_signed) return to_signed ? extend<From, To, true, true> : extend<From, To, true, false>;
  return to_signed ? extend<From, To, false, true> : extend<From, To, false, false>;
}

using Wide = __int128;

Wide lowest_of(Type type) { return is_signed(type) ? -(Wide{1} << (bits_of(type) - 1)) : Wide{0}; }
Wide highest_of(Type type) { return (Wide{1} << (bits_of(type) - (is_signed(type) ? 1 : 0))) - 1; }
Wide value_of(std::uint64_t bits, Type type) {
  const int unused = 64 - bits_of(type);
  bits <<= unused;
  return is_signed(type) ? Wide{static_cast<std::int64_t>(bits) >> unused} : Wide{bits >> unused};
}
std::uint64_t low_bits(Wide value, int bits) {
  return static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - bits));
}

Flow saturate(Warp& warp, const Op& op, Mask mask) {
  const ConvertForm form = form_of<ConvertForm>(op);
  const Wide low = lowest_of(form.to), high = highest_of(form.to);
  const auto convert = [&](std::uint64_t bits) {
    return low_bits(std::clamp(value_of(bits, form.from), low, high), form.to_bits);
  };
  const auto* narrow = warp.read<std::uint32_t>(op.a);
  const auto* wide = warp.read<std::uint64_t>(op.a);
  each_lane(mask, [&](int lane) {
    const std::uint64_t result = convert(form.from_wide ? wide[lane] : std::uint64_t{narrow[lane]});
    if (form.to_bits == 64)
      warp.write<std::uint64_t>(op.dst)[lane] = result;
    else
      warp.write<std::uint32_t>(op.dst)[lane] = static_cast<std::uint32_t>(result);
  });
  return Flow::next;
}

// a and b, saturated, side by side below the low bits of c. The form is the type.
Flow pack(Warp& warp, const Op& op, Mask mask) {
  const auto type = form_of<Type>(op);
  const int bits = bits_of(type);
  const auto* a = warp.read<std::int32_t>(op.a);
  const auto* b = warp.read<std::int32_t>(op.b);
  const auto* c = op.c == no_ref ? nullptr : warp.read<std::uint32_t>(op.c);
  auto* d = warp.write<std::uint32_t>(op.dst);
  const auto part = [&](std::int32_t x) {
    return low_bits(std::clamp(Wide{x}, lowest_of(type), highest_of(type)), bits);
  };
  each_lane(mask, [&](int lane) {
    const std::uint64_t above = c != nullptr ? std::uint64_t{c[lane]} << 2 * bits : 0;
    d[lane] = static_cast<std::uint32_t>(above | part(a[lane]) << bits | part(b[lane]));
  });
  return Flow::next;
}

}  // namespace

Handler integer_conversion(Op& op, const ConvertForm& form) {
  if (form.sat) {
    set_form(op, form);
    return saturate;
  }
  const int from_lane = form.from_wide ? 64 : 32, to_lane = form.to_bits == 64 ? 64 : 32;
  set_form(op, ExtendForm{.in = static_cast<std::uint8_t>(from_lane - bits_of(form.from)),
                          .out = static_cast<std::uint8_t>(to_lane - bits_of(form.to)),
                          .unused = static_cast<std::uint8_t>(to_lane - form.to_bits)});
  const bool from = is_signed(form.from), to = is_signed(form.to);
  if (form.to_bits == 64)
    return form.from_wide ? by_sign<std::uint64_t, std::uint64_t>(from, to)
                          : by_sign<std::uint32_t, std::uint64_t>(from, to);
  return form.from_wide ? by_sign<std::uint64_t, std::uint32_t>(from, to)
                        : by_sign<std::uint32_t, std::uint32_t>(from, to);
}

void bind_pack(Binding& b) {
  b.expect("sat");
  const Type type =
      b.type_of({Type::u16, Type::s16, Type::u8, Type::s8, Type::u4, Type::s4, Type::u2, Type::s2});
  b.type_of({Type::s32});
  const bool has_c = bits_of(type) < 16;
  if (has_c) b.type_of({Type::b32});
  b.expect_operands(has_c ? 4 : 3, has_c ? 4 : 3);
  b.op.dst = b.write(0, Type::u32);
  b.op.a = b.read(1, Type::s32);
  b.op.b = b.read(2, Type::s32);
  if (has_c) b.op.c = b.read(3, Type::b32);
  set_form(b.op, type);
  b.op.run = pack;
}

}  // namespace aisp::sim
