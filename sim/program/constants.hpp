// Constants of a program, each broadcast to the lanes of a warp once, however often it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/program/op.hpp"

namespace aisp::sim {

class ConstantPool {
 public:
  explicit ConstantPool(std::vector<std::byte>& bytes) : bytes_(bytes) {}
  // 32 lanes of 4, 8 or 16 bytes; of 16, the upper 8 are zero.
  Ref lanes_of(std::uint64_t bits, std::uint32_t lane_bytes);
  Ref mask_of(Mask mask);

 private:
  Ref append(std::uint64_t bits, std::uint32_t lane_bytes);
  std::vector<std::byte>& bytes_;
  std::unordered_map<std::uint64_t, Ref> known_[4];  // masks, then by lane size
};

}  // namespace aisp::sim
