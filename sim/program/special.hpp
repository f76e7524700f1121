// The names of special registers.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/program/program.hpp"

namespace aisp::sim {

struct SpecialName {
  enum class Kind : std::uint8_t {
    none,       // not a special register
    slot,       // `what`, 32 bits
    wide_slot,  // `what`, 64 bits; mov.u32 reads the low half
    predicate,  // `what`, one Mask
    zero,       // %tid.w and its like
    changing,   // %clock and its like: no slot
  } kind = Kind::none;
  Special what = Special::count;
};

SpecialName find_special(std::string_view name);  // "%tid.x"
bool is_special_vector(std::string_view name);    // "%tid"
int special_bits(const SpecialName& special);     // 32 or 64; 1 for predicates

}  // namespace aisp::sim
