// What add, sub, mul, fma and div compute of one element. `scaled` is for results about as small as
// the smallest normal f32 (sim/exec/arithmetic/floating/flushing.hpp): tiny_scale times as large,
// rounded as if the exponent had no bound. Operands are zero or normal, so scaling them is exact.
#pragma once

#include <cmath>

#include "sim/exec/arithmetic/floating/flushing.hpp"

namespace aisp::sim::floating {

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
  // What two numbers of a format sum to is a multiple of its least one: exact where it is small.
  static float scaled(float a, float b) { return a * tiny_scale + b * tiny_scale; }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
  static float scaled(float a, float b) { return a * tiny_scale - b * tiny_scale; }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
  static float scaled(float a, float b) {
    return std::fabs(a) < std::fabs(b) ? a * tiny_scale * b : a * (b * tiny_scale);
  }
};
struct Fma {
  template <class T>
  T operator()(T a, T b, T c) const {
    return std::fma(a, b, c);
  }
  // With c beyond 2^64 no product comes so near to it.
  static float scaled(float a, float b, float c) {
    return std::fabs(a) < std::fabs(b) ? std::fma(a * tiny_scale, b, c * tiny_scale)
                                       : std::fma(a, b * tiny_scale, c * tiny_scale);
  }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
  static float scaled(float a, float b) { return a * tiny_scale / b; }  // a is at most 4
};
// a * (1 / b), where the reciprocal of a number above 2^126 is lost as a subnormal.
struct DivApprox {
  float operator()(float a, float b) const {
    const bool lost = std::fabs(b) > 0x1p126f && std::fabs(b) <= 0x1.fffffep127f;
    return lost ? a * std::copysign(0.0f, b) : a / b;
  }
  static float scaled(float a, float b) { return Div::scaled(a, b); }
};

}  // namespace aisp::sim::floating
