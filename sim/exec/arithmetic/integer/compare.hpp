// Comparisons of lanes give a Mask; what setp and set make of it is the same for all types.
#pragma once

#include "sim/exec/arithmetic/combine.hpp"
#include "sim/exec/arithmetic/integer/handler.hpp"
#include "sim/exec/form.hpp"

namespace aisp::sim {

// How the outcome of a comparison becomes a result.
struct CompareForm {
  bool inverted = false;  // ne from eq, ge from lt
  Combine combine = Combine::none;
  bool negated = false;  // the predicate c
  u32 when_true = 0;     // set: the value of a lane that holds
};

// setp p|q: q takes the complement of the comparison, combined the same way.
inline Flow finish_setp(Warp& warp, const Op& op, Mask mask, Mask outcome) {
  const auto form = form_of<CompareForm>(op);
  if (form.inverted) outcome = ~outcome;
  warp.set_predicate(op.dst, mask, combined(warp, op, form.combine, form.negated, outcome));
  if (op.dst2 != no_ref)
    warp.set_predicate(op.dst2, mask, combined(warp, op, form.combine, form.negated, ~outcome));
  return Flow::next;
}

// set: results of all types lie in 32-bit lanes.
inline Flow finish_set(Warp& warp, const Op& op, Mask mask, Mask outcome) {
  const auto form = form_of<CompareForm>(op);
  if (form.inverted) outcome = ~outcome;
  const Mask holds = combined(warp, op, form.combine, form.negated, outcome);
  const u32 when_true = form.when_true;
  u32* d = warp.write<u32>(op.dst);
  each_lane(mask, [&](int lane) { d[lane] = holds >> lane & 1 ? when_true : 0; });
  return Flow::next;
}

// Bit l is f(a[l], b[l]); all lanes are looked at, the caller masks.
template <class T, class F>
[[gnu::always_inline]] inline Mask compare_lanes(const Warp& warp, const Op& op, F f) {
  const Lane<T>* a = warp.read<Lane<T>>(op.a);
  const Lane<T>* b = warp.read<Lane<T>>(op.b);
  Mask outcome = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    outcome |= static_cast<Mask>(f(static_cast<T>(a[lane]), static_cast<T>(b[lane]))) << lane;
  }
  return outcome;
}

void bind_setp(Binding& binding);
void bind_set(Binding& binding);

}  // namespace aisp::sim
