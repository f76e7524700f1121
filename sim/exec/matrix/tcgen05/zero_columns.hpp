// The zero-column mask of tcgen05.mma.ws: which columns of B count as zero.
#pragma once

#include <cstdint>

namespace aisp::sim {

// Bits 0-31 four start counts, 32-35 first spans, 39 enable, 40-47 skip span, 48-55 use span, 56-61
// column shift. N is cut into one part with M 128, two with 64, four with 32; over each goes a
// periodic run of use + 1 columns that are used and skip + 1 that are not, of which the start count
// leaves out the first.
class ZeroColumns {
 public:
  ZeroColumns(std::uint64_t bits, int m, int n) : bits_(bits), part_columns_(n / (128 / m)) {}

  bool enabled() const { return field(39, 1) != 0; }
  std::uint32_t shift() const { return field(56, 6); }
  std::uint32_t reserved() const { return field(36, 3) | field(62, 2); }

  bool operator[](int column) const {
    if (!enabled()) return false;
    const int part = column / part_columns_;
    const std::uint32_t skip = field(40, 8) + 1, use = field(48, 8) + 1;
    const bool skips_first = field(32 + part, 1) != 0;
    const std::uint32_t at =
        (static_cast<std::uint32_t>(column % part_columns_) + field(8 * part, 8)) % (skip + use);
    return skips_first ? at < skip : at >= use;
  }

 private:
  std::uint32_t field(int first, int count) const {
    return static_cast<std::uint32_t>(bits_ >> first & ((1u << count) - 1));
  }
  std::uint64_t bits_;
  int part_columns_;
};

}  // namespace aisp::sim
