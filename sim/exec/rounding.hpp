// Rounding directions of floating-point instructions, and arithmetic of the host done in them.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace sim {

// rna: nearest, ties away from zero.
enum class Round : std::uint8_t { rn, rz, rm, rp, rna };

// While it lives, SSE and AVX arithmetic of this thread rounds as asked and, for `flush`, takes
// subnormal operands as zeros and turns subnormal results into zeros. x86 calls a result subnormal
// after rounding it with an unbounded exponent, as NVIDIA hardware does. The barriers keep the
// compiler from moving loads and stores out of the scope: operands must come from memory and
// results go to memory within it.
class ArithmeticScope {
 public:
  ArithmeticScope(Round round, bool flush) : saved_(_mm_getcsr()) {
    constexpr unsigned toward[] = {0x0000, 0x6000, 0x2000, 0x4000};  // rn rz rm rp: bits 13, 14
    constexpr unsigned flushing = 0x8040;  // results (bit 15) and operands (bit 6)
    set((saved_ & ~0xe040u) | toward[static_cast<int>(round)] | (flush ? flushing : 0u));
  }
  ~ArithmeticScope() { set(saved_); }
  ArithmeticScope(const ArithmeticScope&) = delete;
  ArithmeticScope& operator=(const ArithmeticScope&) = delete;

 private:
  static void set(unsigned value) { asm volatile("ldmxcsr %0" : : "m"(value) : "memory"); }
  unsigned saved_;
};

}  // namespace sim
