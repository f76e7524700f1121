// What the atomic operations compute. Each is a struct with the type in memory and `apply`, which
// makes the new value of the old one; `native`, where there is one, does it in one host operation.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/number/format.hpp"

namespace aisp::sim {

template <class T>
struct AtomicAdd {
  using Value = T;
  static T apply(T old, T b, bool) { return old + b; }
  static T native(T* at, T b) { return __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST); }
};
template <class T>
struct AtomicAnd {
  using Value = T;
  static T apply(T old, T b, bool) { return old & b; }
  static T native(T* at, T b) { return __atomic_fetch_and(at, b, __ATOMIC_SEQ_CST); }
};
template <class T>
struct AtomicOr {
  using Value = T;
  static T apply(T old, T b, bool) { return old | b; }
  static T native(T* at, T b) { return __atomic_fetch_or(at, b, __ATOMIC_SEQ_CST); }
};
template <class T>
struct AtomicXor {
  using Value = T;
  static T apply(T old, T b, bool) { return old ^ b; }
  static T native(T* at, T b) { return __atomic_fetch_xor(at, b, __ATOMIC_SEQ_CST); }
};
template <class T>
struct AtomicExchange {
  using Value = T;
  static T apply(T, T b, bool) { return b; }
};

// T says whether the comparison is signed.
template <class T>
struct AtomicMin {
  using Value = std::make_unsigned_t<T>;
  static Value apply(Value old, Value b, bool) {
    return static_cast<T>(b) < static_cast<T>(old) ? b : old;
  }
};
template <class T>
struct AtomicMax {
  using Value = std::make_unsigned_t<T>;
  static Value apply(Value old, Value b, bool) {
    return static_cast<T>(b) > static_cast<T>(old) ? b : old;
  }
};
struct AtomicIncrement {
  using Value = std::uint32_t;
  static Value apply(Value old, Value b, bool) { return old >= b ? 0 : old + 1; }
};
struct AtomicDecrement {
  using Value = std::uint32_t;
  static Value apply(Value old, Value b, bool) { return old == 0 || old > b ? b : old - 1; }
};

inline std::uint32_t flushed(std::uint32_t bits) {
  return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

// In global memory hardware flushes subnormal operands and results; in shared memory it does not.
struct AtomicAddF32 {
  using Value = std::uint32_t;
  static Value apply(Value old, Value b, bool global) {
    if (global) {
      old = flushed(old);
      b = flushed(b);
    }
    const float sum = std::bit_cast<float>(old) + std::bit_cast<float>(b);
    if (std::isnan(sum)) return 0x7fffffffu;
    const Value bits = std::bit_cast<Value>(sum);
    return global ? flushed(bits) : bits;
  }
};
struct AtomicAddF64 {
  using Value = std::uint64_t;
  static Value apply(Value old, Value b, bool) {
    return std::bit_cast<Value>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  }
};

// Narrow floats. The double sum of two of them rounds to the format as the exact sum does: it
// is exact unless one is far below a quarter of the other's last place.
template <base::Format format>
inline constexpr std::uint32_t all_ones = format.sign_code() - 1;  // the NaN that they make
template <base::Format format>
std::uint32_t half_sum(std::uint32_t a, std::uint32_t b) {
  const double sum = base::decode<format>(a) + base::decode<format>(b);
  return std::isnan(sum) ? all_ones<format> : base::encode<format>(sum);
}
// The other operand where one is NaN; -0 is less than +0.
template <base::Format format, bool want_max>
std::uint32_t half_extreme(std::uint32_t a, std::uint32_t b) {
  const double x = base::decode<format>(a), y = base::decode<format>(b);
  if (std::isnan(x)) return std::isnan(y) ? all_ones<format> : b;
  if (std::isnan(y)) return a;
  const bool a_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return a_less == want_max ? b : a;
}
enum class HalfOp { add, min, max };
template <base::Format format, HalfOp op>
std::uint32_t half_apply(std::uint32_t a, std::uint32_t b) {
  if constexpr (op == HalfOp::add) return half_sum<format>(a, b);
  return half_extreme<format, op == HalfOp::max>(a, b);
}
template <base::Format format, HalfOp op>
struct AtomicHalf {
  using Value = std::conditional_t<format.bits() == 8, std::uint8_t, std::uint16_t>;
  static Value apply(Value old, Value b, bool) {
    return static_cast<Value>(half_apply<format, op>(old, b));
  }
};
template <base::Format format, HalfOp op>
struct AtomicHalfPair {
  using Value = std::uint32_t;
  static Value apply(Value old, Value b, bool) {
    return half_apply<format, op>(old & 0xffff, b & 0xffff) |
           half_apply<format, op>(old >> 16, b >> 16) << 16;
  }
};

}  // namespace aisp::sim
