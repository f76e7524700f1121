// add, sub, mul, fma and div of f32, f64 and f32x2. Rounding to nearest with subnormals kept is a
// plain vector loop; other directions and, where the host can, .ftz run under the processor's own
// control register.
#include "sim/exec/arithmetic/floating/element.hpp"
#include "sim/exec/arithmetic/floating/flushing.hpp"
#include "sim/exec/arithmetic/floating/form.hpp"
#include "sim/exec/arithmetic/floating/function.hpp"
#include "sim/exec/arithmetic/floating/half_vector.hpp"
#include "sim/exec/arithmetic/floating/nan.hpp"

namespace aisp::sim {
namespace {

template <class E, bool saturate, class Calculate, class... Words>
[[gnu::always_inline]] inline typename E::Word compute(Calculate calculate, Words... words) {
  using T = std::conditional_t<sizeof(typename E::Word) == 8, double, float>;
  const T result = calculate(std::bit_cast<T>(words)...);
  return std::bit_cast<typename E::Word>(finish<saturate>(result, std::bit_cast<T>(words)...));
}

template <class E, bool saturate, class Calculate>
[[gnu::always_inline]] inline void loop(Warp& warp, const Op& op, Mask mask) {
  using Word = typename E::Word;
  using T = std::conditional_t<sizeof(Word) == 8, double, float>;
  if constexpr (std::is_invocable_v<Calculate, T, T, T>) {
    each_word<E>(warp, op, mask,
                 [](Word a, Word b, Word c) { return compute<E, saturate>(Calculate{}, a, b, c); });
  } else {
    each_word<E>(warp, op, mask,
                 [](Word a, Word b) { return compute<E, saturate>(Calculate{}, a, b); });
  }
}

template <class E, class Calculate, bool scoped, bool saturate>
Flow arithmetic(Warp& warp, const Op& op, Mask mask) {
  if constexpr (scoped) {
    const auto form = form_of<FloatForm>(op);
    const bool flush = form.ftz;  // never of f64
    if constexpr (!base::host::tiny_after_rounding && E::bits == 32) {
      if (flush) {
        const ArithmeticScope scope(form.round, false);
        loop<E, saturate, Flushed<Calculate>>(warp, op, mask);
        return Flow::next;
      }
    }
    const ArithmeticScope scope(form.round, flush);
    loop<E, saturate, Calculate>(warp, op, mask);
  } else {
    loop<E, saturate, Calculate>(warp, op, mask);
  }
  return Flow::next;
}

// The factors are halves, sum and result f32.
template <bool bfloat, class Calculate>
Flow mixed(Warp& warp, const Op& op, Mask mask) {
  alignas(64) std::uint32_t wide[2][lanes];
  constexpr bool three = std::is_invocable_v<Calculate, float, float, float>;
  const auto widen = [&](Ref ref, std::uint32_t* to) {
    const std::uint32_t* from = warp.read<std::uint32_t>(ref);
    for (int lane = 0; lane < lanes; lane += half_block) {
      const Ints codes = base::load<Ints>(from + lane);
      base::store(to + lane,
                  bfloat ? codes << 16 : std::bit_cast<Ints>(base::floats_of_f16(codes & 0xffff)));
    }
  };
  widen(op.a, wide[0]);
  if (three) widen(op.b, wide[1]);
  const std::uint32_t* last = warp.read<std::uint32_t>(three ? op.c : op.b);
  const auto form = form_of<FloatForm>(op);
  const bool saturate = form.sat;
  const ArithmeticScope scope(form.round, false);
  Results<F32> results(warp, op.dst, mask);
  std::uint32_t* d = results.data();
  for (int i = 0; i < lanes; ++i) {
    std::uint32_t plain = 0, clamped = 0;
    if constexpr (three) {
      plain = compute<F32, false>(Calculate{}, wide[0][i], wide[1][i], last[i]);
      clamped = compute<F32, true>(Calculate{}, wide[0][i], wide[1][i], last[i]);
    } else {
      plain = compute<F32, false>(Calculate{}, wide[0][i], last[i]);
      clamped = compute<F32, true>(Calculate{}, wide[0][i], last[i]);
    }
    d[i] = saturate ? clamped : plain;
  }
  return Flow::next;
}

template <class E, class Calculate>
Handler variant(const FloatForm& form) {
  if (form.round == Round::rn && !form.ftz)
    return form.sat ? arithmetic<E, Calculate, false, true>
                    : arithmetic<E, Calculate, false, false>;
  return form.sat ? arithmetic<E, Calculate, true, true> : arithmetic<E, Calculate, true, false>;
}

template <class Calculate>
Handler by_type(const FloatForm& form) {
  if (form.narrow == Type::f16) return mixed<false, Calculate>;
  if (form.narrow == Type::bf16) return mixed<true, Calculate>;
  switch (form.type) {
    case Type::f32:
      return variant<F32, Calculate>(form);
    case Type::f32x2:
      return variant<F32x2, Calculate>(form);
    default:
      return variant<F64, Calculate>(form);
  }
}

}  // namespace

Handler arithmetic_handler(const FloatForm& form) {
  switch (form.op) {
    case FloatOp::add:
      return by_type<floating::Add>(form);
    case FloatOp::sub:
      return by_type<floating::Sub>(form);
    case FloatOp::mul:
      return by_type<floating::Mul>(form);
    case FloatOp::div:
      if (form.approx) return variant<F32, floating::DivApprox>(form);
      return form.type == Type::f64 ? variant<F64, floating::Div>(form)
                                    : variant<F32, floating::Div>(form);
    default:
      return by_type<floating::Fma>(form);
  }
}

}  // namespace aisp::sim
