// The check of fuzz_decode: any text either decodes with the real opcode table or is refused with a
// message that names the line.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/sim/program/decode_only.hpp"

inline void decode_or_refuse(std::string text) {
  try {
    const aisp::sim::Program program = decode_only(std::move(text));
    if (program.sources.size() != program.ops.size()) std::abort();
    for (const aisp::sim::Op& op : program.ops)
      if (op.run == nullptr) std::abort();
  } catch (const aisp::sim::ptx::Refused& refused) {
    if (!std::string_view(refused.what()).starts_with("line ")) std::abort();
  }
}
