// Bank conflicts of one shared-memory instruction of a warp: 32 banks of 4 bytes. Accesses of up to
// 4 bytes per lane are served together; of 8 bytes half a warp, of 16 bytes a quarter at a time.
// Within such a phase each bank gives one word per wavefront, to all lanes that want that word.
#pragma once

#include "tile/layout/swizzle.hpp"

namespace aisp::tile {

inline constexpr int banks = 32, bank_bytes = 4, warp_lanes = 32;

struct BankAccess {
  int wavefronts = 0;     // turns the memory takes
  int phases = 0;         // turns it would take without conflicts
  int words[banks] = {};  // different words asked of each bank, all phases together
  TILE_FN int conflicts() const { return wavefronts - phases; }
};

namespace detail {

// Lanes first…first+lanes-1 at once. Counts different words per bank and returns the most.
TILE_FN int serve_phase(const int* byte_offset, int first, int lanes, int access_bytes,
                        BankAccess& access) {
  int seen[warp_lanes] = {}, count = 0, per_bank[banks] = {}, most = 0;
  const int words = access_bytes < bank_bytes ? 1 : access_bytes / bank_bytes;
  for (int lane = first; lane < first + lanes; ++lane) {
    for (int part = 0; part < words; ++part) {
      const int word = byte_offset[lane] / bank_bytes + part;
      bool known = false;
      for (int at = 0; at < count && !known; ++at) known = seen[at] == word;
      if (known) continue;
      seen[count++] = word;  // lanes * words <= 32
      ++access.words[word % banks];
      if (++per_bank[word % banks] > most) most = per_bank[word % banks];
    }
  }
  return most;
}

}  // namespace detail

// byte_offset[lane] for the 32 lanes; access_bytes 1, 2, 4, 8 or 16 per lane.
TILE_FN BankAccess bank_access(const int* byte_offset, int access_bytes) {
  require(exact_log2(access_bytes) >= 0 && access_bytes <= 16, LayoutRule::access_is_aligned, 0,
          access_bytes);
  for (int lane = 0; lane < warp_lanes; ++lane)
    require(byte_offset[lane] % access_bytes == 0, LayoutRule::access_is_aligned, byte_offset[lane],
            access_bytes);
  BankAccess out;
  const int lanes =
      access_bytes <= bank_bytes ? warp_lanes : warp_lanes * bank_bytes / access_bytes;
  for (int first = 0; first < warp_lanes; first += lanes, ++out.phases)
    out.wavefronts += detail::serve_phase(byte_offset, first, lanes, access_bytes, out);
  return out;
}

// Any function from lane to element offset: a Layout, a Swizzled, a composition of them.
template <class LaneToElement>
TILE_FN BankAccess bank_access(const LaneToElement& element, int element_bytes, int access_bytes) {
  int byte_offset[warp_lanes] = {};
  for (int lane = 0; lane < warp_lanes; ++lane) byte_offset[lane] = element(lane) * element_bytes;
  return bank_access(byte_offset, access_bytes);
}

}  // namespace aisp::tile
