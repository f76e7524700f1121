// redux.sync: one value from all lanes of a group, given to each of them.
#include <cmath>

#include "sim/exec/warp/group.hpp"

namespace aisp::sim {
namespace {

// `first` is what a reduction makes of the first value, `apply` of the value so far and the next.
struct Plain {
  static std::uint32_t first(std::uint32_t a) { return a; }
};
struct AddWords : Plain {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a + b; }
};
struct AndWords : Plain {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a & b; }
};
struct OrWords : Plain {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a | b; }
};
struct XorWords : Plain {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return a ^ b; }
};
template <class T, bool want_max>
struct Extreme : Plain {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    return (static_cast<T>(a) < static_cast<T>(b)) == want_max ? b : a;
  }
};
// Without `nan` a NaN gives way to a number. -0 is less than +0.
template <bool want_max, bool magnitude, bool nan>
struct ExtremeFloat {
  static std::uint32_t first(std::uint32_t a) { return apply(a, a); }
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    constexpr std::uint32_t canonical = 0x7fffffffu;
    if (magnitude) {
      a &= 0x7fffffffu;
      b &= 0x7fffffffu;
    }
    const float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    if (std::isnan(x)) return nan || std::isnan(y) ? canonical : b;
    if (std::isnan(y)) return nan ? canonical : a;
    const bool a_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
    return a_less == want_max ? b : a;
  }
};

template <class Operation>
Flow redux(Warp& warp, const Op& op, Mask mask) {
  const Mask together = assemble(warp, op, mask);
  if (together == 0) return Flow::wait;
  const auto* a = warp.read<std::uint32_t>(op.a);
  std::uint32_t values[lanes];
  each_group(warp, op, together, [&](Mask group) {
    std::uint32_t result = Operation::first(a[std::countr_zero(group) % lanes]);
    for (Mask left = group & (group - 1); left != 0; left &= left - 1)
      result = Operation::apply(result, a[std::countr_zero(left)]);
    each_lane(group, [&](int lane) { values[lane] = result; });
  });
  write_words(warp, op.dst, together, values);
  return Flow::next;
}

Handler float_redux(Binding& b, bool want_max, bool magnitude, bool nan) {
  b.require(sm_100a, ".f32");
  constexpr Handler handlers[] = {
      redux<ExtremeFloat<false, false, false>>, redux<ExtremeFloat<false, false, true>>,
      redux<ExtremeFloat<false, true, false>>,  redux<ExtremeFloat<false, true, true>>,
      redux<ExtremeFloat<true, false, false>>,  redux<ExtremeFloat<true, false, true>>,
      redux<ExtremeFloat<true, true, false>>,   redux<ExtremeFloat<true, true, true>>};
  return handlers[(want_max ? 4 : 0) + (magnitude ? 2 : 0) + (nan ? 1 : 0)];
}

enum class Reduction { add, min, max, bit_and, bit_or, bit_xor };

Handler select_redux(Binding& b, Reduction what, Type type, bool magnitude, bool nan) {
  switch (what) {
    case Reduction::bit_and:
      return type == Type::b32 ? redux<AndWords> : nullptr;
    case Reduction::bit_or:
      return type == Type::b32 ? redux<OrWords> : nullptr;
    case Reduction::bit_xor:
      return type == Type::b32 ? redux<XorWords> : nullptr;
    default:
      break;
  }
  const bool want_max = what == Reduction::max;
  if (type == Type::f32 && what != Reduction::add) return float_redux(b, want_max, magnitude, nan);
  if (type != Type::u32 && type != Type::s32) return nullptr;
  if (what == Reduction::add) return redux<AddWords>;
  if (type == Type::u32)
    return want_max ? redux<Extreme<std::uint32_t, true>> : redux<Extreme<std::uint32_t, false>>;
  return want_max ? redux<Extreme<std::int32_t, true>> : redux<Extreme<std::int32_t, false>>;
}

constexpr Word<Reduction> reductions[] = {
    {"add", Reduction::add},     {"min", Reduction::min},   {"max", Reduction::max},
    {"and", Reduction::bit_and}, {"or", Reduction::bit_or}, {"xor", Reduction::bit_xor},
};

}  // namespace

void bind_redux(Binding& b) {
  const Reduction what = mode_with_sync(b, reductions);
  bool magnitude = b.accept("abs");
  const bool nan = b.accept("NaN");
  magnitude = magnitude || b.accept("abs");
  const Type type = b.type();
  b.op.run = select_redux(b, what, type, magnitude, nan);
  if (b.op.run == nullptr || ((magnitude || nan) && type != Type::f32))
    b.refuse("no such operation on this type");
  b.expect_operands(3, 3);
  b.op.a = b.read(1, type);
  b.op.c = b.read(2, Type::b32);
  b.op.dst = b.write(0, type);
}

}  // namespace aisp::sim
