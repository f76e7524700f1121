#include "sim/exec/tensor_memory/descriptor.hpp"

#include "base/refuse.hpp"

namespace aisp::sim {

using base::say;

std::string TensorDescriptor::why_invalid(std::uint64_t bits) {
  const auto field = [bits](int first, int count) {
    return static_cast<std::uint32_t>(bits >> first & ((1u << count) - 1));
  };
  if (field(46, 3) != 1)
    return say("bits 46-48 of a shared memory descriptor are 0b001, not ", field(46, 3));
  if (field(52, 1) != 0)
    return "bit 52 of a shared memory descriptor, an absolute leading address, is of sm_103a";
  if (field(53, 8) != 0) return say("bits 53-60 of a shared memory descriptor are 0");
  const std::uint32_t swizzle = field(61, 3);
  if (swizzle == 3 || swizzle == 5 || swizzle == 7)
    return say("swizzle ", swizzle,
               " of a shared memory descriptor: 0 none, 1 128 bytes in atoms of 32, 2 128 bytes, "
               "4 64 bytes, 6 32 bytes");
  return of(bits).why_wrong_base();
}

std::string TensorDescriptor::why_wrong_base() const {
  if (base_offset == 0) return "";
  if (swizzle == Swizzle::none)
    return say("base offset ", base_offset, " of a shared memory descriptor without swizzle: 0");
  const std::uint32_t line = (start >> 7) % lines();
  if (base_offset % lines() == line) return "";
  return say("base offset ", base_offset, " of a shared memory descriptor does not go with its ",
             "start address ", start, ": a pattern of ", lines() * 128, " bytes that begins in ",
             "that line of 128 bytes has ", line,
             ", and one that begins at a multiple of its size 0");
}

}  // namespace aisp::sim
