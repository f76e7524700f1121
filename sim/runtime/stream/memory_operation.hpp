// Operations of a stream on single values in memory: it writes one, or waits until one fits.
#pragma once

#include <cstdint>

#include "sim/runtime/stream/stream.hpp"

namespace aisp::sim {

struct ValueOperation {
  enum class Kind : std::uint8_t { write, at_least, equal, any_bit_of, not_all_ones_with };
  Kind kind = Kind::write;
  bool wide = false;  // 64 bits, else 32
  std::uint64_t address = 0, value = 0;
};

// All of them in this order, and no other work of the stream between them. Throws ApiError.
void submit_values(cudaStream_t stream, const std::vector<ValueOperation>& operations);

}  // namespace aisp::sim
