// Element-wise reductions in memory, for bulk copies, TMA and red.async.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/machine/tensor_map.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

enum class ReduceOp : std::uint8_t { add, min, max, inc, dec, bit_and, bit_or, bit_xor, none };

// Reduces `bytes` at `into` with those at `from`, element by element; each is one atomic operation
// of the host, since other clusters run on other threads.
using Reducer = void (*)(std::byte* into, const std::byte* from, std::size_t bytes);

// Null where there is no such combination, and for none. Sums keep subnormals.
Reducer find_reducer(ReduceOp op, Type type);
// By the element type of a tensor map: the types with _ftz flush subnormal operands and sums.
Reducer find_reducer(ReduceOp op, TensorType type);

}  // namespace aisp::sim
