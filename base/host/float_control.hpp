// The control register of this processor's floating-point unit, one header per architecture. Each
// gives, in namespace base::host,
//   FloatControl                 the register's contents
//   float_control()              reads it
//   set_float_control(control)   writes it; a compiler barrier: operands of what is to be computed
//                                under it must be loaded after and results stored before the next
//   Rounding, with_rounding()    the four directions of IEEE 754
//   with_flushing()              subnormal operands count as zeros, subnormal results become zeros
//   tiny_after_rounding          whether "subnormal" is said of the rounded result, as NVIDIA
//                                hardware does; otherwise of the exact one, so that a number which
//                                rounds up to the smallest normal one is lost
//   default_nan_is_negative      sign of the NaN that an invalid operation makes
#pragma once

#if defined(__x86_64__)
#include "base/host/float_control_x86_64.hpp"
#elif defined(__aarch64__)
#include "base/host/float_control_aarch64.hpp"
#else
#error "aisp runs on x86-64 and AArch64: this processor needs a base/host/float_control_*.hpp"
#endif
