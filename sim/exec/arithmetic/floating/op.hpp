// The opcodes that have a floating-point form.
#pragma once

#include <cstdint>

namespace aisp::sim {

enum class FloatOp : std::uint8_t { add, sub, mul, fma, mad, div, neg, abs, min, max };

}  // namespace aisp::sim
