// An independent statement of what rounding is: an exact number, kept in 113 bits, to the nearest
// code of a format in a direction. The simulator's own arithmetic shares nothing with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "tests/sim/exec/lane_probe.hpp"

namespace aisp::exact {

// Binary with 113 bits: an extension on x86, long double on AArch64.
#if defined(__x86_64__)
__extension__ using Real = __float128;
#else
using Real = long double;
static_assert(std::numeric_limits<Real>::digits == 113);
#endif

struct Shape {
  int exponent_bits, fraction_bits;
  int bits() const { return 1 + exponent_bits + fraction_bits; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint64_t sign() const { return std::uint64_t{1} << (bits() - 1); }
  std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  }
  std::uint64_t nan() const { return sign() - 1; }
};
inline const Shape f64{11, 52}, f32{8, 23}, bf16{8, 7}, f16{5, 10};

// A Real is 1 sign bit, 15 exponent bits (bias 16383) and 112 fraction bits.
inline Real power(int exponent) {
  const probe::Unsigned bits = static_cast<probe::Unsigned>(exponent + 16383) << 112;
  Real result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}
inline int exponent_of(Real x) {
  probe::Unsigned bits;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<int>(bits >> 112 & 0x7fff) - 16383;
}

// Of finite codes.
inline Real value(const Shape& shape, std::uint64_t code) {
  const auto field = static_cast<int>((code & shape.nan()) >> shape.fraction_bits);
  std::uint64_t significand = code & ((std::uint64_t{1} << shape.fraction_bits) - 1);
  if (field != 0) significand |= std::uint64_t{1} << shape.fraction_bits;
  const Real magnitude = static_cast<Real>(significand) *
                         power((field == 0 ? 1 : field) - shape.bias() - shape.fraction_bits);
  return (code & shape.sign()) != 0 ? -magnitude : magnitude;
}

inline bool is_nan(const Shape& shape, std::uint64_t code) {
  return (code & shape.nan()) > shape.infinity();
}
inline bool is_finite(const Shape& shape, std::uint64_t code) {
  return (code & shape.nan()) < shape.infinity();
}

// `mode`: "rn", "rz", "rm", "rp", "rna". With `flush` a result that is subnormal after rounding
// with an unbounded exponent is a zero.
inline std::uint64_t rounded(const Shape& shape, Real x, const std::string& mode,
                             bool flush = false, bool negative_zero = false) {
  const bool negative = x < 0 || (x == 0 && negative_zero);
  const std::uint64_t sign = negative ? shape.sign() : 0;
  if (x == 0) return sign;
  const Real magnitude = x < 0 ? -x : x;
  const int exponent = exponent_of(magnitude);
  const int least = 1 - shape.bias();
  const auto units = [&](int at) {  // of 2^(at - fraction_bits), rounded
    const Real scaled = magnitude / power(at - shape.fraction_bits);
    const auto whole = static_cast<std::uint64_t>(scaled);
    const Real rest = scaled - static_cast<Real>(whole);
    bool up = false;
    if (mode == "rn") up = rest > 0.5 || (rest == 0.5 && whole % 2 == 1);
    if (mode == "rna") up = rest >= 0.5;
    if (mode == "rm") up = negative && rest > 0;
    if (mode == "rp") up = !negative && rest > 0;
    return whole + (up ? 1 : 0);
  };
  if (flush && exponent < least &&
      static_cast<Real>(units(exponent)) * power(exponent - shape.fraction_bits) < power(least))
    return sign;
  const int at = exponent < least ? least : exponent;
  const std::uint64_t code =
      (static_cast<std::uint64_t>(at - least) << shape.fraction_bits) + units(at);
  if (code < shape.infinity()) return sign | code;
  const bool cuts = mode == "rz" || mode == (negative ? "rp" : "rm");
  return sign | (cuts ? shape.infinity() - 1 : shape.infinity());
}

// Codes whose numbers are within 2^(middle +- spread), with few significant bits as often as many,
// so that ties, exact results and cancellation all come up.
class Codes {
 public:
  Codes(const Shape& shape, int middle, int spread, int significant)
      : shape_(shape), middle_(middle), spread_(spread), significant_(significant) {}
  std::uint64_t next() {
    const std::uint64_t bits = draw();
    const int exponent = middle_ - spread_ + static_cast<int>(draw() % (2 * spread_ + 1));
    const int kept = draw() % 2 == 0 ? significant_ : 1 + static_cast<int>(draw() % 4);
    const int field = exponent + shape_.bias();
    const int cut = shape_.fraction_bits > kept ? shape_.fraction_bits - kept : 0;
    std::uint64_t fraction = bits & ((std::uint64_t{1} << shape_.fraction_bits) - 1);
    fraction = fraction >> cut << cut;
    const auto clamped = static_cast<std::uint64_t>(std::clamp(field, 0, 2 * shape_.bias()));
    return (bits & shape_.sign()) | (clamped << shape_.fraction_bits) | fraction;
  }

 private:
  std::uint64_t draw() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = (state_ ^ state_ >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  Shape shape_;
  int middle_, spread_, significant_;
  std::uint64_t state_ = 7;
};

inline std::string reg(int bits, int index) {
  return (bits == 16 ? "%h" : bits == 32 ? "%r" : "%d") + std::to_string(index);
}

}  // namespace aisp::exact
