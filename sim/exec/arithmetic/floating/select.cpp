// neg, abs, min and max of all floating-point types: they pick or change bits and round nothing,
// so words stand for values.
#include "sim/exec/arithmetic/floating/element.hpp"
#include "sim/exec/arithmetic/floating/form.hpp"
#include "sim/exec/arithmetic/floating/nan.hpp"

namespace aisp::sim {
namespace {

template <class E>
struct Bits {
  using Word = typename E::Word;
  using Key = std::make_signed_t<Word>;
  static Word magnitude(Word x) { return x & E::nan; }
  static bool is_nan(Word x) { return magnitude(x) > E::infinity; }
  static Word flushed(Word x) { return magnitude(x) < E::smallest_normal ? Word(x & E::sign) : x; }
  // Orders as the numbers do, -0 below +0.
  static Key key(Word x) {
    const Key flip = Key(x) >> (E::bits - 1);
    return Key(x ^ (Word(flip) & E::nan));
  }
  // f64 keeps a NaN, made quiet; the others have only one.
  static Word settled(Word x) {
    if constexpr (E::bits == 64) return is_nan(x) ? x | quiet_bit : x;
    return is_nan(x) ? E::nan : x;
  }
};

template <class E, bool greater>
[[gnu::always_inline]] inline typename E::Word choose(typename E::Word a, typename E::Word b,
                                                      bool any_nan) {
  using B = Bits<E>;
  const bool first = greater ? B::key(a) > B::key(b) : B::key(a) < B::key(b);
  typename E::Word picked = first ? a : b;
  picked = B::is_nan(b) ? a : picked;
  picked = B::is_nan(a) ? b : picked;
  picked = B::is_nan(picked) || (any_nan && (B::is_nan(a) || B::is_nan(b))) ? E::nan : picked;
  return picked;
}

template <class E, bool greater, bool nan>
Flow plain(Warp& warp, const Op& op, Mask mask) {
  using Word = typename E::Word;
  each_word<E>(warp, op, mask, [](Word a, Word b) { return choose<E, greater>(a, b, nan); });
  return Flow::next;
}

template <class E, bool greater, bool three>
Flow modified(Warp& warp, const Op& op, Mask mask) {
  using Word = typename E::Word;
  using B = Bits<E>;
  const auto form = form_of<FloatForm>(op);
  const bool ftz = form.ftz, nan = form.nan;
  const Word xorsign = form.xorsign ? E::sign : 0;
  const Word kept = form.absolute || form.xorsign ? E::nan : Word(-1);
  const auto prepare = [=](Word x) -> Word { return (ftz ? B::flushed(x) : x) & kept; };
  const auto two = [=](Word a, Word b) -> Word {
    const Word picked = choose<E, greater>(prepare(a), prepare(b), nan);
    return B::is_nan(picked) ? E::nan : Word(picked | ((a ^ b) & xorsign));
  };
  if constexpr (three)
    each_word<E>(warp, op, mask, [=](Word a, Word b, Word c) { return two(two(a, b), c); });
  else
    each_word<E>(warp, op, mask, two);
  return Flow::next;
}

template <class E, bool absolute>
Flow sign(Warp& warp, const Op& op, Mask mask) {
  using Word = typename E::Word;
  using B = Bits<E>;
  const bool ftz = form_of<FloatForm>(op).ftz;
  each_word<E>(warp, op, mask, [=](Word x) -> Word {
    const Word kept = ftz ? B::flushed(x) : x;
    const Word changed = absolute ? Word(kept & E::nan) : Word(kept ^ E::sign);
    return B::is_nan(x) ? B::settled(x) : changed;
  });
  return Flow::next;
}

template <class E, bool greater>
Handler min_or_max(const FloatForm& form) {
  if (form.inputs == 3) return modified<E, greater, true>;
  if (form.ftz || form.xorsign || form.absolute) return modified<E, greater, false>;
  return form.nan ? plain<E, greater, true> : plain<E, greater, false>;
}

template <class E>
Handler by_op(const FloatForm& form) {
  switch (form.op) {
    case FloatOp::neg:
      return sign<E, false>;
    case FloatOp::abs:
      return sign<E, true>;
    case FloatOp::min:
      return min_or_max<E, false>(form);
    default:
      return min_or_max<E, true>(form);
  }
}

}  // namespace

Handler select_handler(const FloatForm& form) {
  switch (form.type) {
    case Type::f32:
      return by_op<F32>(form);
    case Type::f64:
      return by_op<F64>(form);
    case Type::f16:
      return by_op<F16>(form);
    case Type::f16x2:
      return by_op<F16x2>(form);
    case Type::bf16:
      return by_op<BF16>(form);
    default:
      return by_op<BF16x2>(form);
  }
}

}  // namespace aisp::sim
