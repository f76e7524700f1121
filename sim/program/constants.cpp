#include "sim/program/constants.hpp"

#include <cstring>

namespace aisp::sim {

Ref ConstantPool::append(std::uint64_t bits, std::uint32_t lane_bytes) {
  constexpr std::size_t alignment = 64;
  const std::size_t at = (bytes_.size() + alignment - 1) / alignment * alignment;
  bytes_.resize(at + (lane_bytes == 0 ? alignment : std::size_t{lane_bytes} * lanes));
  std::byte* to = bytes_.data() + at;
  if (lane_bytes == 0) {
    std::memcpy(to, &bits, sizeof(Mask));
  } else {
    for (int lane = 0; lane < lanes; ++lane)
      std::memcpy(to + lane * lane_bytes, &bits, lane_bytes < 8 ? lane_bytes : 8);
  }
  return constant_bit | static_cast<Ref>(at);
}

Ref ConstantPool::lanes_of(std::uint64_t bits, std::uint32_t lane_bytes) {
  auto& known = known_[lane_bytes == 4 ? 1 : lane_bytes == 8 ? 2 : 3];
  const auto [entry, fresh] = known.try_emplace(bits, no_ref);
  if (fresh) entry->second = append(bits, lane_bytes);
  return entry->second;
}

Ref ConstantPool::mask_of(Mask mask) {
  const auto [entry, fresh] = known_[0].try_emplace(mask, no_ref);
  if (fresh) entry->second = append(mask, 0);
  return entry->second;
}

}  // namespace aisp::sim
