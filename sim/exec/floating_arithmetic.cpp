// add, sub, mul, fma and div of f32, f64 and f32x2. Rounding to nearest with subnormals kept is a
// plain vector loop; other directions and .ftz run under the processor's own control register.
#include <cmath>

#include "sim/exec/floating_element.hpp"
#include "sim/exec/floating_form.hpp"
#include "sim/exec/floating_nan.hpp"

namespace sim {
namespace {

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct Fma {
  template <class T>
  T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
// a * (1 / b), where the reciprocal of a number above 2^126 is lost as a subnormal.
struct DivApprox {
  float operator()(float a, float b) const {
    const bool lost = std::fabs(b) > 0x1p126f && std::fabs(b) <= 0x1.fffffep127f;
    return lost ? a * std::copysign(0.0f, b) : a / b;
  }
};

template <class E, bool saturate, class Calculate, class... Words>
[[gnu::always_inline]] inline typename E::Word compute(Calculate calculate, Words... words) {
  using T = std::conditional_t<sizeof(typename E::Word) == 8, double, float>;
  const T result = calculate(std::bit_cast<T>(words)...);
  return std::bit_cast<typename E::Word>(finish<saturate>(result, std::bit_cast<T>(words)...));
}

template <class E, class Calculate, bool scoped, bool saturate>
Flow arithmetic(Warp& warp, const Op& op, Mask mask) {
  using Word = typename E::Word;
  using T = std::conditional_t<sizeof(Word) == 8, double, float>;
  const auto loop = [&]() __attribute__((always_inline)) {
    if constexpr (std::is_invocable_v<Calculate, T, T, T>) {
      each_word<E>(warp, op, mask, [](Word a, Word b, Word c) {
        return compute<E, saturate>(Calculate{}, a, b, c);
      });
    } else {
      each_word<E>(warp, op, mask,
                   [](Word a, Word b) { return compute<E, saturate>(Calculate{}, a, b); });
    }
  };
  if constexpr (scoped) {
    const ArithmeticScope scope(static_cast<Round>(op.imm & FloatForm::round_mask),
                                (op.imm & FloatForm::ftz_bit) != 0);
    loop();
  } else {
    loop();
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
    for (int lane = 0; lane < lanes; ++lane)
      to[lane] =
          bfloat ? from[lane] << 16
                 : std::bit_cast<std::uint32_t>(_cvtsh_ss(static_cast<unsigned short>(from[lane])));
  };
  widen(op.a, wide[0]);
  if (three) widen(op.b, wide[1]);
  const std::uint32_t* last = warp.read<std::uint32_t>(three ? op.c : op.b);
  const bool saturate = (op.imm & FloatForm::sat_bit) != 0;
  const ArithmeticScope scope(static_cast<Round>(op.imm & FloatForm::round_mask), false);
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
      return by_type<Add>(form);
    case FloatOp::sub:
      return by_type<Sub>(form);
    case FloatOp::mul:
      return by_type<Mul>(form);
    case FloatOp::div:
      if (form.approx) return variant<F32, DivApprox>(form);
      return form.type == Type::f64 ? variant<F64, Div>(form) : variant<F32, Div>(form);
    default:
      return by_type<Fma>(form);
  }
}

}  // namespace sim
