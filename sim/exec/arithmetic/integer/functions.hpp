// What integer instructions compute, one functor each on C++ integers.
#pragma once

#include <algorithm>
#include <limits>

#include "sim/exec/arithmetic/integer/handler.hpp"

namespace aisp::sim {

constexpr s32 clamp_s32(s64 value) {
  return static_cast<s32>(
      std::clamp<s64>(value, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
}

// Arithmetic that wraps is done on unsigned types; `1u *` keeps 16-bit operands from becoming int.
struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct AddSaturated {
  s32 operator()(s32 a, s32 b) const { return clamp_s32(s64{a} + b); }
};
struct SubSaturated {
  s32 operator()(s32 a, s32 b) const { return clamp_s32(s64{a} - b); }
};
struct MulLow {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(1u * a * b);
  }
};
struct MulHigh {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wide<T>{a} * b >> width<T>);
  }
};
struct MulWide {
  template <class T>
  Wide<T> operator()(T a, T b) const {
    return Wide<T>{a} * b;
  }
};
struct MadLow {
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(1u * a * b + c);
  }
};
struct MadHigh {
  template <class T>
  T operator()(T a, T b, T c) const {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(MulHigh{}(a, b)) + static_cast<U>(c));
  }
};
struct MadHighSaturated {
  s32 operator()(s32 a, s32 b, s32 c) const { return clamp_s32(s64{MulHigh{}(a, b)} + c); }
};
struct MadWide {
  template <class T, class W>
  W operator()(T a, T b, W c) const {
    using U = std::make_unsigned_t<W>;
    return static_cast<W>(static_cast<U>(W{a} * b) + static_cast<U>(c));
  }
};

constexpr s64 low24(s32 value) { return static_cast<s32>(static_cast<u32>(value) << 8) >> 8; }
constexpr u64 low24(u32 value) { return value & 0xffffff; }

// The 48-bit product of the low 24 bits; its low or its high 32 bits.
struct Mul24Low {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(low24(a) * low24(b));
  }
};
struct Mul24High {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(low24(a) * low24(b) >> 16);
  }
};
template <class Product>
struct Mad24 {
  template <class T>
  T operator()(T a, T b, T c) const {
    return static_cast<T>(static_cast<u32>(Product{}(a, b)) + static_cast<u32>(c));
  }
};
struct Mad24Saturated {
  s32 operator()(s32 a, s32 b, s32 c) const { return clamp_s32(s64{Mul24High{}(a, b)} + c); }
};

struct Sad {
  template <class T>
  T operator()(T a, T b, T c) const {
    using U = std::make_unsigned_t<T>;
    const U difference = a < b ? U(b) - U(a) : U(a) - U(b);
    return static_cast<T>(U(U(c) + difference));
  }
};

// The hardware gives all ones for a quotient or remainder by zero, at every width.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - Lane<T>(a));
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct Neg {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(0 - Lane<T>(a));
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? Neg{}(a) : a;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};
template <class F>
struct Relu {
  template <class T>
  T operator()(T a, T b) const {
    return std::max<T>(F{}(a, b), 0);
  }
};

// Two values of type H in one word.
template <class F, class H>
struct Halves {
  u32 operator()(u32 a, u32 b) const {
    const u32 low = to_lane<H>(F{}(static_cast<H>(a), static_cast<H>(b)));
    const u32 high = to_lane<H>(F{}(static_cast<H>(a >> 16), static_cast<H>(b >> 16)));
    return high << 16 | low;
  }
};

}  // namespace aisp::sim
