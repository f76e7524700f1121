// Arithmetic with intervals: what a function of positions may be for all queries and keys of a
// block at once. An interval holds every value that the kernel may compute there, roundings and
// approximations included; a truth is certain only where it holds for every pair.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

// What is not known reaches from minus to plus infinity, and so does what may be NaN.
struct Interval {
  double least, most;
};
struct Truth {
  bool some, all;  // some pair may, all pairs do
};

namespace interval {

inline constexpr double endless = 1e300;  // infinity, and no NaN comes of it
inline constexpr Interval anything{-endless, endless};
inline constexpr double least_int = -2147483648.0, most_int = 2147483647.0;
inline constexpr double most_f32 = 3.4e38;

TILE_FN double magnitude(double x) { return x < 0 ? -x : x; }
TILE_FN double smaller(double a, double b) { return b < a ? b : a; }
TILE_FN double larger(double a, double b) { return b > a ? b : a; }
TILE_FN double truncated(double x) {
  return magnitude(x) < 9e15 ? static_cast<double>(static_cast<long long>(x)) : x;
}

TILE_FN Interval point(double x) { return {x, x}; }
TILE_FN Interval hull(Interval a, Interval b) {
  return {smaller(a.least, b.least), larger(a.most, b.most)};
}

// 32-bit integers wrap: what may leave their range may be any of them. f32 rounds: by 2^-24 of the
// value, and quotients and functions by way of approximations by somewhat more.
template <bool integer>
TILE_FN Interval settled(double least, double most) {
  if (!(least <= most)) return anything;
  if (integer)
    return least < least_int || most > most_int ? Interval{least_int, most_int}
                                                : Interval{least, most};
  least -= magnitude(least) * 0x1p-19 + 0x1p-120;
  most += magnitude(most) * 0x1p-19 + 0x1p-120;
  return {least < -most_f32 ? -endless : least, most > most_f32 ? endless : most};
}

template <bool integer>
TILE_FN Interval add(Interval a, Interval b) {
  return settled<integer>(a.least + b.least, a.most + b.most);
}
template <bool integer>
TILE_FN Interval sub(Interval a, Interval b) {
  return settled<integer>(a.least - b.most, a.most - b.least);
}
TILE_FN Interval corners(double p, double q, double r, double s) {
  return {smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s))};
}
TILE_FN bool finite(Interval a) { return a.least > -endless && a.most < endless; }

template <bool integer>
TILE_FN Interval mul(Interval a, Interval b) {
  if (!finite(a) || !finite(b)) return anything;
  const Interval all =
      corners(a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most);
  return settled<integer>(all.least, all.most);
}
template <bool integer>
TILE_FN Interval div(Interval a, Interval b) {
  if (!finite(a) || !finite(b) || (b.least <= 0 && b.most >= 0))
    return integer ? Interval{least_int, most_int} : anything;
  const Interval all =
      corners(a.least / b.least, a.least / b.most, a.most / b.least, a.most / b.most);
  return integer ? settled<true>(truncated(all.least), truncated(all.most))
                 : settled<false>(all.least, all.most);
}
// Of integers, with the sign of the first; by 0 it is 0.
TILE_FN Interval mod(Interval a, Interval b) {
  if (!finite(a) || !finite(b) || b.least < 1) return {least_int, most_int};
  const double lower = truncated(a.least / b.most), upper = truncated(a.most / b.most);
  const bool one_sign = a.least >= 0 || a.most <= 0;
  if (b.least == b.most && lower == upper && one_sign)
    return {a.least - lower * b.most, a.most - lower * b.most};
  return {a.least < 0 ? -(b.most - 1) : 0.0, a.most > 0 ? smaller(b.most - 1, a.most) : 0.0};
}
TILE_FN bool may_be_nan(Interval a) { return a.least == -endless && a.most == endless; }
TILE_FN Interval min(Interval a, Interval b) {
  if (may_be_nan(a) || may_be_nan(b)) return anything;
  return {smaller(a.least, b.least), smaller(a.most, b.most)};
}
TILE_FN Interval max(Interval a, Interval b) {
  if (may_be_nan(a) || may_be_nan(b)) return anything;
  return {larger(a.least, b.least), larger(a.most, b.most)};
}
template <bool integer>
TILE_FN Interval neg(Interval a) {
  return settled<integer>(-a.most, -a.least);
}
template <bool integer>
TILE_FN Interval abs(Interval a) {
  if (may_be_nan(a)) return anything;
  const double lower = magnitude(a.least), upper = magnitude(a.most);
  const bool across = a.least <= 0 && a.most >= 0;
  return settled<integer>(across ? 0.0 : smaller(lower, upper), larger(lower, upper));
}

// What is known of functions whatever their argument; where it may be NaN, nothing.
TILE_FN Interval within(Interval argument, double least, double most) {
  return finite(argument) ? Interval{least, most} : anything;
}
TILE_FN Interval root(Interval a) {
  return a.least >= 0 && finite(a) ? Interval{0, endless} : anything;
}

TILE_FN Interval to_integer(Interval a) {
  return finite(a) ? settled<true>(truncated(a.least), truncated(a.most))
                   : Interval{least_int, most_int};
}
TILE_FN Interval to_f32(Interval a) {
  const bool exact = larger(magnitude(a.least), magnitude(a.most)) <= 0x1p24;
  return exact ? a : settled<false>(a.least, a.most);
}
TILE_FN Interval number(Truth a) { return {a.all ? 1.0 : 0.0, a.some ? 1.0 : 0.0}; }

TILE_FN Truth certainly(bool truth) { return {truth, truth}; }
TILE_FN Truth lt(Interval a, Interval b) { return {a.least < b.most, a.most < b.least}; }
TILE_FN Truth le(Interval a, Interval b) { return {a.least <= b.most, a.most <= b.least}; }
TILE_FN Truth eq(Interval a, Interval b) {
  return {a.least <= b.most && b.least <= a.most,
          a.least == a.most && b.least == b.most && a.least == b.least};
}
TILE_FN Truth logical_not(Truth a) { return {!a.all, !a.some}; }
TILE_FN Truth logical_and(Truth a, Truth b) { return {a.some && b.some, a.all && b.all}; }
TILE_FN Truth logical_or(Truth a, Truth b) { return {a.some || b.some, a.all || b.all}; }
TILE_FN Interval where(Truth condition, Interval a, Interval b) {
  return condition.all ? a : !condition.some ? b : hull(a, b);
}
TILE_FN Truth where(Truth condition, Truth a, Truth b) {
  if (condition.all) return a;
  if (!condition.some) return b;
  return {a.some || b.some, a.all && b.all};
}

}  // namespace interval
}  // namespace aisp::tile
