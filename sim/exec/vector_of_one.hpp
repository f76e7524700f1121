// {r} where ptxas takes it for r: in ld, st, ldu and as the level of a texture.
#pragma once

#include "sim/ptx/module.hpp"

namespace aisp::sim {

inline const ptx::Operand& scalar(const ptx::Operand& operand) {
  const bool is_one = operand.kind == ptx::Operand::Kind::vector && operand.parts.size() == 1;
  return is_one ? operand.parts[0] : operand;
}

}  // namespace aisp::sim
