// Loads and stores of global memory under a condition, without a branch: the code around them stays
// one basic block, in which the assembler may move loads ahead of the work on other elements.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// A read-only load may pass any store: nothing may write that memory while the kernel runs. It is
// 0 where `wanted` is false. Volatile keeps a load behind the waits that the program puts ahead of
// it; the assembler, which sees what the instructions are, may still move it.
template <bool read_only>
TILE_DEVICE std::uint8_t load_if(bool wanted, const std::uint8_t* from) {
  std::uint16_t value;
  if constexpr (read_only)
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\nmov.b16 %0, 0;\n@p ld.global.nc.b8 %0, [%1];\n}"
        : "=h"(value)
        : "l"(__cvta_generic_to_global(from)), "r"(int{wanted}));
  else
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\nmov.b16 %0, 0;\n@p ld.global.b8 %0, [%1];\n}"
        : "=h"(value)
        : "l"(__cvta_generic_to_global(from)), "r"(int{wanted}));
  return static_cast<std::uint8_t>(value);
}
template <bool read_only>
TILE_DEVICE std::uint16_t load_if(bool wanted, const std::uint16_t* from) {
  std::uint16_t value;
  if constexpr (read_only)
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\nmov.b16 %0, 0;\n@p ld.global.nc.b16 %0, [%1];\n}"
        : "=h"(value)
        : "l"(__cvta_generic_to_global(from)), "r"(int{wanted}));
  else
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\nmov.b16 %0, 0;\n@p ld.global.b16 %0, [%1];\n}"
        : "=h"(value)
        : "l"(__cvta_generic_to_global(from)), "r"(int{wanted}));
  return value;
}
template <bool read_only>
TILE_DEVICE std::uint32_t load_if(bool wanted, const std::uint32_t* from) {
  std::uint32_t value;
  if constexpr (read_only)
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\nmov.b32 %0, 0;\n@p ld.global.nc.b32 %0, [%1];\n}"
        : "=r"(value)
        : "l"(__cvta_generic_to_global(from)), "r"(int{wanted}));
  else
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\nmov.b32 %0, 0;\n@p ld.global.b32 %0, [%1];\n}"
        : "=r"(value)
        : "l"(__cvta_generic_to_global(from)), "r"(int{wanted}));
  return value;
}
template <bool read_only>
TILE_DEVICE std::uint64_t load_if(bool wanted, const std::uint64_t* from) {
  std::uint64_t value;
  if constexpr (read_only)
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\nmov.b64 %0, 0;\n@p ld.global.nc.b64 %0, [%1];\n}"
        : "=l"(value)
        : "l"(__cvta_generic_to_global(from)), "r"(int{wanted}));
  else
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\nmov.b64 %0, 0;\n@p ld.global.b64 %0, [%1];\n}"
        : "=l"(value)
        : "l"(__cvta_generic_to_global(from)), "r"(int{wanted}));
  return value;
}

TILE_DEVICE void store_if(bool wanted, std::uint8_t* to, std::uint8_t value) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.b8 [%0], %1;\n}" ::"l"(
                   __cvta_generic_to_global(to)),
               "h"(std::uint16_t{value}), "r"(int{wanted})
               : "memory");
}
TILE_DEVICE void store_if(bool wanted, std::uint16_t* to, std::uint16_t value) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.b16 [%0], %1;\n}" ::"l"(
                   __cvta_generic_to_global(to)),
               "h"(value), "r"(int{wanted})
               : "memory");
}
TILE_DEVICE void store_if(bool wanted, std::uint32_t* to, std::uint32_t value) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.b32 [%0], %1;\n}" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(value), "r"(int{wanted})
               : "memory");
}
TILE_DEVICE void store_if(bool wanted, std::uint64_t* to, std::uint64_t value) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %2, 0;\n@p st.global.b64 [%0], %1;\n}" ::"l"(
                   __cvta_generic_to_global(to)),
               "l"(value), "r"(int{wanted})
               : "memory");
}

}  // namespace aisp::tile::arch
