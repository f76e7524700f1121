// Loops over lanes that the compiler can vectorise when all 32 take part.
#pragma once

#include <bit>
#include <cstring>

#include "sim/machine/warp.hpp"

namespace aisp::sim {

template <class Body>
[[gnu::always_inline]] inline void each_lane(Mask mask, Body&& body) {
  if (mask == all_lanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < lanes; ++lane) body(lane);
  } else {
    for (Mask left = mask; left != 0; left &= left - 1) body(std::countr_zero(left));
  }
}

// d = f(a), d = f(a, b), d = f(a, b, c) with lane values of type D and S in registers.
template <class D, class S, class F>
[[gnu::always_inline]] inline Flow map1(Warp& warp, const Op& op, Mask mask, F f) {
  D* d = warp.write<D>(op.dst);
  const S* a = warp.read<S>(op.a);
  each_lane(mask, [&](int lane) { d[lane] = f(a[lane]); });
  return Flow::next;
}
template <class D, class S, class F>
[[gnu::always_inline]] inline Flow map2(Warp& warp, const Op& op, Mask mask, F f) {
  D* d = warp.write<D>(op.dst);
  const S* a = warp.read<S>(op.a);
  const S* b = warp.read<S>(op.b);
  each_lane(mask, [&](int lane) { d[lane] = f(a[lane], b[lane]); });
  return Flow::next;
}
template <class D, class S, class F>
[[gnu::always_inline]] inline Flow map3(Warp& warp, const Op& op, Mask mask, F f) {
  D* d = warp.write<D>(op.dst);
  const S* a = warp.read<S>(op.a);
  const S* b = warp.read<S>(op.b);
  const S* c = warp.read<S>(op.c);
  each_lane(mask, [&](int lane) { d[lane] = f(a[lane], b[lane], c[lane]); });
  return Flow::next;
}

}  // namespace aisp::sim
