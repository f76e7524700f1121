// One decoded instruction on a hand-made warp: lanes go in, the handler runs, lanes come out.
// Registers are %p0.. (pred), %h0.. (b16), %r0.. (b32), %d0.. (b64), %q0.. (b128).
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/exec/host_level.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::probe {

__extension__ using Exact = __int128;  // holds every sum, and products but those of u64
__extension__ using Unsigned = unsigned __int128;

inline sim::Program program_of(const std::string& statements, int architecture = 90) {
  const std::string text = ".version 9.0\n.target sm_" + std::to_string(architecture) +
                           "\n.address_size 64\n.visible .entry probe()\n{\n"
                           ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n"
                           ".reg .b64 %d<8>;\n.reg .b128 %q<8>;\n" +
                           statements + "\nret;\n}\n";
  return sim::decode(
      sim::ptx::parse(text), sim::opcode_table(),
      [](const sim::VariablePlacement&) { return std::uint64_t{0}; },
      [](std::uint64_t, const void*, std::size_t) {});
}

class Probe {
 public:
  explicit Probe(const std::string& statements, int architecture = 90)
      : program(program_of(statements, architecture)) {
    const auto& kernel = program.routines.at(0);
    registers.resize(kernel.register_bytes / sizeof(std::uint64_t) + 64, ~std::uint64_t{0});
    warp.bases[0] = reinterpret_cast<std::byte*>(registers.data());
    warp.bases[1] = program.constants.data();
    warp.program = &program;
    lane_group.mask = sim::all_lanes;
    warp.lane_group = &lane_group;
  }
  const sim::Op& op(int index = 0) const { return program.ops.at(static_cast<std::size_t>(index)); }
  void run(sim::Mask mask = sim::all_lanes, int index = 0) { op(index).run(warp, op(index), mask); }
  // Values narrower than a lane are kept zero-extended.
  void put(sim::Ref ref, int bits, int lane, std::uint64_t value) {
    if (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
    if (bits == 64) {
      warp.write<std::uint64_t>(ref)[lane] = value;
    } else {
      warp.write<std::uint32_t>(ref)[lane] = static_cast<std::uint32_t>(value);
    }
  }
  std::uint64_t get(sim::Ref ref, int bits, int lane) const {
    return bits == 64 ? warp.read<std::uint64_t>(ref)[lane] : warp.read<std::uint32_t>(ref)[lane];
  }
  sim::Mask predicate(sim::Ref ref) const { return warp.predicate(ref); }

  sim::Program program;
  std::vector<std::uint64_t> registers;
  sim::LaneGroup lane_group;
  sim::Warp warp;
};

// Numbers that show edges often: small, around powers of two, all ones, and any.
class Numbers {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t bits = state_ ^ state_ >> 29;
    const int shift = static_cast<int>(bits & 63);
    switch (bits >> 6 & 7) {
      case 0:
        return bits >> 9 & 3;
      case 1:
        return ~(bits >> 9 & 3);
      case 2:
        return (std::uint64_t{1} << shift) - (bits >> 9 & 1);
      case 3:
        return ~((std::uint64_t{1} << shift) - (bits >> 9 & 1));
      case 4:
        return bits >> shift;
      default:
        return mixed(bits);
    }
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
  }
  std::uint64_t state_ = 1;
};

// A value of `bits` bits as the number it stands for.
inline Exact number(std::uint64_t raw, int bits, bool is_signed) {
  if (bits < 64) raw &= (std::uint64_t{1} << bits) - 1;
  if (is_signed && raw >> (bits - 1) & 1) return Exact{raw} - (Exact{1} << bits);
  return raw;
}
inline std::uint64_t truncated(Exact value, int bits) {
  const auto raw = static_cast<std::uint64_t>(value);
  return bits == 64 ? raw : raw & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace aisp::probe
