// Stores of 32 bytes to global memory, from sm_100 on.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// Eight words to a multiple of 32 bytes: a whole sector.
TILE_DEVICE void store_global_32_bytes(void* to, const std::uint32_t* words) {
  asm volatile("st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]), "r"(words[4]),
               "r"(words[5]), "r"(words[6]), "r"(words[7])
               : "memory");
}

}  // namespace aisp::tile::arch
