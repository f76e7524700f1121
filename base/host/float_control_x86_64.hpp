// MXCSR, which rules SSE and AVX arithmetic. Included by base/host/float_control.hpp.
#pragma once

#include <cstdint>

#include "base/host/rounding.hpp"

#if defined(__x86_64__)  // on another host it compiles to nothing

namespace aisp::base::host {

using FloatControl = std::uint32_t;
inline constexpr bool tiny_after_rounding = true;
inline constexpr bool default_nan_is_negative = true;

inline FloatControl float_control() {
  FloatControl control = 0;
  asm volatile("stmxcsr %0" : "=m"(control));
  return control;
}
inline void set_float_control(FloatControl control) {
  asm volatile("ldmxcsr %0" : : "m"(control) : "memory");
}

constexpr FloatControl with_rounding(FloatControl control, Rounding rounding) {
  constexpr FloatControl field[] = {0x0000, 0x6000, 0x2000, 0x4000};  // bits 13 and 14
  return (control & ~FloatControl{0x6000}) | field[static_cast<int>(rounding)];
}
constexpr FloatControl with_flushing(FloatControl control, bool flush) {
  constexpr FloatControl both = 0x8040;  // results (bit 15) and operands (bit 6)
  return flush ? control | both : control & ~both;
}

}  // namespace aisp::base::host

#endif
