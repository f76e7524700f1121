// setp and set of floating-point operands. One comparison of sign-magnitude words serves all types.
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/arithmetic/combine.hpp"
#include "sim/exec/arithmetic/floating/bind.hpp"
#include "sim/exec/arithmetic/floating/element.hpp"
#include "sim/exec/form.hpp"

namespace aisp::sim {
namespace {

// Which outcomes of a comparison make it true: one bit each.
enum Outcome : unsigned { less = 1, equal = 2, greater = 4, unordered = 8 };

constexpr sim::Word<unsigned> comparisons[] = {
    {"eq", equal},
    {"ne", less | greater},
    {"lt", less},
    {"le", less | equal},
    {"gt", greater},
    {"ge", greater | equal},
    {"equ", equal | unordered},
    {"neu", less | greater | unordered},
    {"ltu", less | unordered},
    {"leu", less | equal | unordered},
    {"gtu", greater | unordered},
    {"geu", greater | equal | unordered},
    {"num", less | equal | greater},
    {"nan", unordered},
};

struct FloatCompareForm {
  std::uint8_t when = 0;  // outcomes that make it true
  Combine combine = Combine::none;
  bool negated = false;  // the predicate operand
  bool ftz = false;
  std::uint32_t word = 0;  // set: what is written for true
};

// For each outcome all ones or zero.
template <class Word>
struct When {
  Word less, equal, greater, unordered;
};

template <class E, bool ftz>
[[gnu::always_inline]] inline typename E::Word compare(When<typename E::Word> when,
                                                       typename E::Word a, typename E::Word b) {
  using Word = typename E::Word;
  using Signed = std::make_signed_t<Word>;
  const auto value = [](Word x) {  // NaN aside, orders as the numbers do; both zeros are 0
    Word magnitude = x & E::nan;
    if (ftz) magnitude = magnitude < E::smallest_normal ? Word{0} : magnitude;
    const Signed mask = Signed(x) >> (E::bits - 1);
    return Signed((Signed(magnitude) ^ mask) - mask);
  };
  const Signed x = value(a), y = value(b);
  constexpr Signed infinity = E::infinity;
  const bool nan = Signed(a & E::nan) > infinity || Signed(b & E::nan) > infinity;
  const Word order = x < y ? when.less : (x == y ? when.equal : when.greater);
  return nan ? when.unordered : order;
}

// The results of all words, all ones or zero, then those of element `part` of every lane as bits.
template <class E>
struct Comparisons {
  alignas(64) typename E::Word hit[E::count];

  template <bool ftz>
  void fill(const Warp& warp, const Op& op) {
    using Word = typename E::Word;
    const unsigned holds = form_of<FloatCompareForm>(op).when;
    const auto all_if = [&](unsigned outcome) { return Word(holds & outcome ? -1 : 0); };
    const When<Word> when{all_if(less), all_if(equal), all_if(greater), all_if(unordered)};
    const Word* a = warp.read<Word>(op.a);
    const Word* b = warp.read<Word>(op.b);
    for (int i = 0; i < E::count; ++i) hit[i] = compare<E, ftz>(when, a[i], b[i]);
  }
  Comparisons(const Warp& warp, const Op& op) {
    if (form_of<FloatCompareForm>(op).ftz)
      fill<true>(warp, op);
    else
      fill<false>(warp, op);
  }
  Mask part(int part) const {
    constexpr int words = E::count / lanes;
    Mask result = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      typename E::Lane all;
      std::memcpy(&all, hit + lane * words, sizeof all);
      result |= static_cast<Mask>(all >> (E::bits * part) & 1) << lane;
    }
    return result;
  }
};

Mask combined(const Warp& warp, const Op& op, Mask outcome) {
  const auto form = form_of<FloatCompareForm>(op);
  return combined(warp, op, form.combine, form.negated, outcome);
}

template <class E, bool pair>
Flow setp(Warp& warp, const Op& op, Mask mask) {
  const Comparisons<E> comparisons(warp, op);
  const Mask first = comparisons.part(0), second = pair ? comparisons.part(1) : ~first;
  const Mask p = combined(warp, op, first), q = combined(warp, op, second);
  warp.set_predicate(op.dst, mask, p);
  warp.set_predicate(op.dst2, mask, q);
  return Flow::next;
}

// True is written as the form's word; `halves`: a pair of 16-bit results.
template <class E, bool pair, bool halves>
Flow set(Warp& warp, const Op& op, Mask mask) {
  const Comparisons<E> comparisons(warp, op);
  const Mask first = combined(warp, op, comparisons.part(0));
  const Mask second = pair ? combined(warp, op, comparisons.part(1)) : 0;
  const auto word = form_of<FloatCompareForm>(op).word;
  std::uint32_t* d = warp.write<std::uint32_t>(op.dst);
  for (int lane = 0; lane < lanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const std::uint32_t low = first >> lane & 1, high = second >> lane & 1;
    d[lane] = halves ? low * word | high * word << 16 : low * word;
  }
  return Flow::next;
}

struct Types {
  Handler setp = nullptr, set = nullptr, set_halves = nullptr;
};
template <class E, bool pair>
constexpr Types handlers{setp<E, pair>, set<E, pair, false>, set<E, pair, true>};

Types handlers_of(Binding& b, Type type) {
  switch (type) {
    case Type::f32:
      return handlers<F32, false>;
    case Type::f64:
      return handlers<F64, false>;
    case Type::f16:
      return handlers<F16, false>;
    case Type::bf16:
      return handlers<BF16, false>;
    case Type::f16x2:
      return handlers<F16x2, true>;
    case Type::bf16x2:
      return handlers<BF16x2, true>;
    default:
      b.refuse("compares f16, bf16, f32, f64, f16x2 or bf16x2");
  }
}

bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }
bool is_bfloat(Type type) { return type == Type::bf16 || type == Type::bf16x2; }

FloatCompareForm read_comparison(Binding& b) {
  const auto when = b.accept(comparisons);
  if (!when) b.refuse(base::say('.', b.take(), " is no floating-point comparison"));
  FloatCompareForm form{.when = static_cast<std::uint8_t>(*when)};
  form.combine = b.accept(combinations).value_or(Combine::none);
  form.ftz = b.accept("ftz");
  return form;
}

void bind_sources(Binding& b, Type source, FloatCompareForm& form) {
  form.ftz = form.ftz || (source == Type::f32 && b.always_flushes());
  if (form.ftz && (source == Type::f64 || is_bfloat(source)))
    b.refuse(".ftz goes with f32, f16 and f16x2");
  if (is_bfloat(source)) b.require(sm_90, "bf16");
  const bool combines = form.combine != Combine::none;
  b.expect_operands(combines ? 4 : 3, combines ? 4 : 3);
  b.op.a = b.read(1, source);
  b.op.b = b.read(2, source);
  if (combines) b.op.c = b.read_predicate(b.operand(3), form.negated);
  b.op.kind = OpClass::compare;
}

// The 32 bits that stand for true in a result of that type.
std::uint32_t truth_word(Binding& b, Type type, Type source) {
  const bool half_source = source == Type::f16 || source == Type::bf16;
  switch (type) {
    case Type::f32:
      if (half_source || is_pair(source)) b.refuse("f32 results need f32 or f64 operands");
      return 0x3f800000u;
    case Type::u32:
    case Type::s32:
      return is_pair(source) ? 0xffffu : 0xffffffffu;
    case Type::u16:
    case Type::s16:
      if (!half_source) b.refuse("16-bit results need f16 or bf16 operands");
      return 0xffffu;
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
      return is_bfloat(type) ? 0x3f80u : 0x3c00u;
    default:
      b.refuse("writes u16, s16, u32, s32, f16, bf16, f32, f16x2 or bf16x2");
  }
}

}  // namespace

void bind_float_setp(Binding& b) {
  FloatCompareForm form = read_comparison(b);
  const Type source = b.type();
  bind_sources(b, source, form);
  set_form(b.op, form);
  b.op.run = handlers_of(b, source).setp;
  const ptx::Operand& result = b.operand(0);
  if (result.kind == ptx::Operand::Kind::pair) {
    if (source == Type::f16 || source == Type::bf16)
      b.refuse("a comparison of single f16 or bf16 gives one predicate");
    b.op.dst = b.write_predicate(result.parts[0]);
    b.op.dst2 = b.write_predicate(result.parts[1]);
  } else {
    if (is_pair(source)) b.refuse("needs two predicates p|q");
    b.op.dst = b.write_predicate(result);
  }
}

void bind_float_set(Binding& b) {
  FloatCompareForm form = read_comparison(b);
  const Type result = b.type(), source = b.type();
  bind_sources(b, source, form);
  form.word = truth_word(b, result, source);
  const bool packed_result =
      is_pair(result) || ((result == Type::u32 || result == Type::s32) && is_pair(source));
  if (packed_result != is_pair(source)) b.refuse("pairs are compared to pairs");
  if (is_pair(result) && result != source) b.refuse("pairs are compared to pairs");
  if (result == Type::f16 && is_bfloat(source)) b.refuse("f16 results need f16, f32 or f64");
  if (is_bfloat(result) && form.ftz) b.refuse(".ftz does not go with bf16");
  if (is_bfloat(result)) b.require(sm_90, "bf16");
  set_form(b.op, form);
  b.op.dst = b.write(0, result);
  const Types types = handlers_of(b, source);
  b.op.run = packed_result ? types.set_halves : types.set;
}

}  // namespace aisp::sim
