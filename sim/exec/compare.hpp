// Comparisons of lanes give a Mask; what setp and set make of it is the same for all types.
#pragma once

#include "sim/exec/integer.hpp"

namespace sim {

// How the outcome of a comparison becomes a result, packed into Op::imm.
struct Verdict {
  bool inverted = false;  // ne from eq, ge from lt
  enum Combine : u32 { plain, with_and, with_or, with_xor } combine = plain;
  bool negate_c = false;  // !c
  u32 when_true = 0;      // set: the value of a lane that holds

  u64 pack() const {
    return u64{when_true} << 32 | u64{combine} << 2 | u64{negate_c} << 1 | u64{inverted};
  }
};

// (outcome) combined with the predicate c of the Op.
inline Mask combine(const Warp& warp, const Op& op, Mask outcome) {
  const u32 how = op.imm >> 2 & 3;
  if (how == Verdict::plain) return outcome;
  const Mask c = warp.predicate(op.c) ^ (op.imm >> 1 & 1 ? all_lanes : 0);
  return how == Verdict::with_and  ? outcome & c
         : how == Verdict::with_or ? outcome | c
                                   : outcome ^ c;
}

// setp p|q: q takes the complement of the comparison, combined the same way.
inline Flow finish_setp(Warp& warp, const Op& op, Mask mask, Mask outcome) {
  if (op.imm & 1) outcome = ~outcome;
  warp.set_predicate(op.dst, mask, combine(warp, op, outcome));
  if (op.dst2 != no_ref) warp.set_predicate(op.dst2, mask, combine(warp, op, ~outcome));
  return Flow::next;
}

// set: results of all types lie in 32-bit lanes.
inline Flow finish_set(Warp& warp, const Op& op, Mask mask, Mask outcome) {
  if (op.imm & 1) outcome = ~outcome;
  const Mask holds = combine(warp, op, outcome);
  const u32 when_true = static_cast<u32>(op.imm >> 32);
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

// Binds `p` or `p|q`, the sources and the optional predicate behind them; `Verdict::combine` is
// taken from the modifiers before.
Verdict::Combine accept_combine(Binding& binding);
void bind_compared(Binding& binding, Type type, Verdict& verdict);
void bind_setp_results(Binding& binding);

void bind_setp(Binding& binding);
void bind_set(Binding& binding);

}  // namespace sim
