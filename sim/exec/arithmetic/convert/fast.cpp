// The conversions that programs spend time in, as vector loops: halves and f32, 32-bit integers and
// f32, f32 and f64, f32 to integral values. Same results as the general handlers.
#include <cmath>
#include <limits>

#include "sim/exec/arithmetic/convert/form.hpp"
#include "sim/exec/arithmetic/floating/element.hpp"
#include "sim/exec/arithmetic/floating/half_vector.hpp"
#include "sim/exec/arithmetic/floating/nan.hpp"

namespace aisp::sim {
namespace {

template <class HalfFormat>
Ints narrowed(const std::uint32_t* from) {
  return HalfFormat::narrow_to_codes(base::load<Floats>(from));
}

template <class HalfFormat>
Flow to_half(Warp& warp, const Op& op, Mask mask) {
  const auto* a = warp.read<std::uint32_t>(op.a);
  Results<F32> results(warp, op.dst, mask);
  for (int i = 0; i < lanes; i += half_block)
    base::store(results.data() + i, narrowed<HalfFormat>(a + i));
  return Flow::next;
}

template <class HalfFormat>
Flow to_half_pair(Warp& warp, const Op& op, Mask mask) {
  const auto* a = warp.read<std::uint32_t>(op.a);
  const auto* b = warp.read<std::uint32_t>(op.b);
  Results<F32> results(warp, op.dst, mask);
  for (int i = 0; i < lanes; i += half_block)
    base::store(results.data() + i,
                narrowed<HalfFormat>(a + i) << 16 | narrowed<HalfFormat>(b + i));
  return Flow::next;
}

Flow from_f16(Warp& warp, const Op& op, Mask mask) {
  const auto* a = warp.read<std::uint32_t>(op.a);
  Results<F32> results(warp, op.dst, mask);
  for (int i = 0; i < lanes; i += half_block) {
    const Floats x = base::floats_of_f16(base::load<Ints>(a + i) & 0xffff);
    base::store(results.data() + i, x == x ? std::bit_cast<Ints>(x) : Ints{} + 0x7fffffff);
  }
  return Flow::next;
}

// Hardware moves the bits, NaN included.
Flow from_bf16(Warp& warp, const Op& op, Mask mask) {
  each_word<F32>(warp, op, mask, [](std::uint32_t x) { return x << 16; });
  return Flow::next;
}

template <class Integer>
Flow integer_to_f32(Warp& warp, const Op& op, Mask mask) {
  each_word<F32>(warp, op, mask, [](std::uint32_t x) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<Integer>(x)));
  });
  return Flow::next;
}

template <Round round>
float integral(float x) {
  switch (round) {
    case Round::rz:
      return std::trunc(x);
    case Round::rm:
      return std::floor(x);
    case Round::rp:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}

template <Round round>
Flow f32_to_integral(Warp& warp, const Op& op, Mask mask) {
  each_word<F32>(warp, op, mask, [](std::uint32_t x) {
    return std::bit_cast<std::uint32_t>(finish<false>(integral<round>(std::bit_cast<float>(x))));
  });
  return Flow::next;
}

template <Round round>
Flow f32_to_s32(Warp& warp, const Op& op, Mask mask) {
  each_word<F32>(warp, op, mask, [](std::uint32_t word) {
    const float x = integral<round>(std::bit_cast<float>(word));
    const bool fits = x >= -0x1p31f && x < 0x1p31f;
    const std::int32_t inside = static_cast<std::int32_t>(fits ? x : 0.0f);
    const std::int32_t beyond = x >= 0x1p31f   ? std::numeric_limits<std::int32_t>::max()
                                : x < -0x1p31f ? std::numeric_limits<std::int32_t>::min()
                                               : 0;
    return static_cast<std::uint32_t>(inside | beyond);
  });
  return Flow::next;
}

template <Round round>
Flow f32_to_u32(Warp& warp, const Op& op, Mask mask) {
  each_word<F32>(warp, op, mask, [](std::uint32_t word) {
    const float x = integral<round>(std::bit_cast<float>(word));
    const bool upper = x >= 0x1p31f, beyond = x >= 0x1p32f;
    const float within = x > 0.0f && !beyond ? x : 0.0f;
    const auto low = static_cast<std::int32_t>(upper ? within - 0x1p31f : within);
    const std::uint32_t result = static_cast<std::uint32_t>(low) ^ (upper ? 0x80000000u : 0u);
    return beyond ? 0xffffffffu : result;
  });
  return Flow::next;
}

Flow f32_to_f64(Warp& warp, const Op& op, Mask mask) {
  const auto* a = warp.read<std::uint32_t>(op.a);
  Results<F64> results(warp, op.dst, mask);
  std::uint64_t* d = results.data();
#pragma GCC ivdep
  for (int lane = 0; lane < lanes; ++lane)
    d[lane] = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(a[lane])));
  return Flow::next;
}

Flow f64_to_f32(Warp& warp, const Op& op, Mask mask) {
  const auto* a = warp.read<std::uint64_t>(op.a);
  Results<F32> results(warp, op.dst, mask);
  std::uint32_t* d = results.data();
#pragma GCC ivdep
  for (int lane = 0; lane < lanes; ++lane)
    d[lane] = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(a[lane])));
  return Flow::next;
}

template <template <Round> class Make>
Handler by_round(Round round) {
  switch (round) {
    case Round::rz:
      return Make<Round::rz>::handler;
    case Round::rm:
      return Make<Round::rm>::handler;
    case Round::rp:
      return Make<Round::rp>::handler;
    default:
      return Make<Round::rn>::handler;
  }
}
template <Round round>
struct ToIntegral {
  static constexpr Handler handler = f32_to_integral<round>;
};
template <Round round>
struct ToS32 {
  static constexpr Handler handler = f32_to_s32<round>;
};
template <Round round>
struct ToU32 {
  static constexpr Handler handler = f32_to_u32<round>;
};

}  // namespace

Handler fast_conversion(const ConvertForm& form) {
  if (form.ftz || form.sat || form.relu || form.finite) return nullptr;
  const auto is = [&](Type to, Type from) { return form.to == to && form.from == from; };
  if (is(Type::f32, Type::f64) && form.round == Round::rn && form.to_bits == 32) return f64_to_f32;
  if (form.from_wide) return nullptr;
  if (is(Type::f64, Type::f32)) return f32_to_f64;
  if (form.to_bits > 32) return nullptr;
  if (is(Type::f32, Type::f16)) return from_f16;
  if (is(Type::f32, Type::bf16)) return from_bf16;
  if (is(Type::f32, Type::f32) && form.integral) return by_round<ToIntegral>(form.round);
  if (is(Type::s32, Type::f32)) return by_round<ToS32>(form.round);
  if (is(Type::u32, Type::f32)) return by_round<ToU32>(form.round);
  if (form.round != Round::rn) return nullptr;
  if (is(Type::f32, Type::s32)) return integer_to_f32<std::int32_t>;
  if (is(Type::f32, Type::u32)) return integer_to_f32<std::uint32_t>;
  if (is(Type::f16, Type::f32)) return to_half<Float16>;
  if (is(Type::bf16, Type::f32)) return to_half<BFloat16>;
  if (is(Type::f16x2, Type::f32)) return to_half_pair<Float16>;
  if (is(Type::bf16x2, Type::f32)) return to_half_pair<BFloat16>;
  return nullptr;
}

}  // namespace aisp::sim
