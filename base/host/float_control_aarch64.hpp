// FPCR. Included by base/host/float_control.hpp.
#pragma once

#include <cstdint>

#include "base/host/rounding.hpp"

#if defined(__aarch64__)  // on another host it compiles to nothing

namespace aisp::base::host {

using FloatControl = std::uint64_t;
inline constexpr bool tiny_after_rounding = false;
inline constexpr bool default_nan_is_negative = false;

inline FloatControl float_control() {
  FloatControl control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void set_float_control(FloatControl control) {
  asm volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

constexpr FloatControl with_rounding(FloatControl control, Rounding rounding) {
  constexpr FloatControl field[] = {0u << 22, 3u << 22, 2u << 22, 1u << 22};
  return (control & ~FloatControl{3u << 22}) | field[static_cast<int>(rounding)];
}
constexpr FloatControl with_flushing(FloatControl control, bool flush) {
  constexpr FloatControl both = 1u << 24;  // FZ: operands and results of f32 and f64
  return flush ? control | both : control & ~both;
}

}  // namespace aisp::base::host

#endif
