// setp and set on integers. Every comparison is one of eq and lt, with the operands exchanged or
// the outcome inverted.
#include "sim/exec/arithmetic/integer/compare.hpp"

#include "sim/exec/arithmetic/floating/bind.hpp"

namespace aisp::sim {
namespace {

struct Equal {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};

template <class T, class F>
Flow run_setp(Warp& warp, const Op& op, Mask mask) {
  return finish_setp(warp, op, mask, compare_lanes<T>(warp, op, F{}));
}
template <class T, class F>
Flow run_set(Warp& warp, const Op& op, Mask mask) {
  return finish_set(warp, op, mask, compare_lanes<T>(warp, op, F{}));
}

struct Comparison {
  bool less, exchanged, inverted;
  bool for_signed, for_bits;
  std::string_view name{};  // as written
};
constexpr Word<Comparison> comparisons[] = {
    {"eq", {false, false, false, true, true}},  {"ne", {false, false, true, true, true}},
    {"lt", {true, false, false, true, false}},  {"le", {true, true, true, true, false}},
    {"gt", {true, true, false, true, false}},   {"ge", {true, false, true, true, false}},
    {"lo", {true, false, false, false, false}}, {"ls", {true, true, true, false, false}},
    {"hi", {true, true, false, false, false}},  {"hs", {true, false, true, false, false}},
};

Comparison take_comparison(Binding& b) {
  const std::string_view name = b.peek();
  auto comparison = b.accept(comparisons);
  if (!comparison) b.refuse("integers have no comparison ." + std::string(b.take()));
  comparison->name = name;
  return *comparison;
}

Type compared_type(Binding& b, const Comparison& comparison) {
  const Type type = b.type_of({Type::b16, Type::b32, Type::b64, Type::u16, Type::u32, Type::u64,
                               Type::s16, Type::s32, Type::s64});
  if ((is_signed(type) && !comparison.for_signed) || (!is_integer(type) && !comparison.for_bits))
    b.refuse("." + std::string(comparison.name) + " does not compare ." +
             std::string(name_of(type)));
  return type;
}

// The sources and the predicate that the outcome is combined with.
void bind_compared(Binding& b, Type type, CompareForm& form) {
  const int operands = form.combine == Combine::none ? 3 : 4;
  b.expect_operands(operands, operands);
  b.op.a = b.read(1, type);
  b.op.b = b.read(2, type);
  if (operands == 4) b.op.c = b.read_predicate(b.operand(3), form.negated);
}

// `p` or `p|q`.
void bind_setp_results(Binding& b) {
  const ptx::Operand& results = b.operand(0);
  if (results.kind == ptx::Operand::Kind::pair) {
    if (results.parts[0].kind == ptx::Operand::Kind::sink &&
        results.parts[1].kind == ptx::Operand::Kind::sink)
      b.refuse("both results cannot be discarded with '_'");
    b.op.dst = b.write_predicate(results.parts[0]);
    b.op.dst2 = b.write_predicate(results.parts[1]);
  } else {
    b.op.dst = b.write_predicate(results);
  }
}

}  // namespace

void bind_setp(Binding& b) {
  if (is_float(last_type(b))) return bind_float_setp(b);
  const Comparison comparison = take_comparison(b);
  CompareForm form{.inverted = comparison.inverted};
  form.combine = b.accept(combinations).value_or(Combine::none);
  const Type type = compared_type(b, comparison);
  bind_compared(b, type, form);
  bind_setp_results(b);
  if (comparison.exchanged) std::swap(b.op.a, b.op.b);
  set_form(b.op, form);
  b.op.run = comparison.less
                 ? pick_integer(type, []<class T>() -> Handler { return run_setp<T, Less>; })
                 : pick_width(type, []<class T>() -> Handler { return run_setp<T, Equal>; });
}

void bind_set(Binding& b) {
  if (is_float(last_type(b))) return bind_float_set(b);
  const Comparison comparison = take_comparison(b);
  CompareForm form{.inverted = comparison.inverted};
  form.combine = b.accept(combinations).value_or(Combine::none);
  const Type result = b.type_of({Type::u32, Type::s32, Type::f32, Type::f16, Type::bf16});
  if (result == Type::bf16) b.require(sm_90, "bf16");
  form.when_true = result == Type::f32    ? 0x3f800000
                   : result == Type::f16  ? 0x3c00
                   : result == Type::bf16 ? 0x3f80
                                          : ~0u;
  const Type type = compared_type(b, comparison);
  bind_compared(b, type, form);
  b.op.dst = b.write(0, result);
  if (comparison.exchanged) std::swap(b.op.a, b.op.b);
  set_form(b.op, form);
  b.op.run = comparison.less
                 ? pick_integer(type, []<class T>() -> Handler { return run_set<T, Less>; })
                 : pick_width(type, []<class T>() -> Handler { return run_set<T, Equal>; });
}

}  // namespace aisp::sim
