// The chain of layers, as host and kernels know it: x becomes x + share * clamp(W x, -1, 1), layer
// by layer, for a few vectors at once.
#pragma once

namespace aisp::ch11::chain {

inline constexpr int batch = 4;           // vectors that go through the layers together
inline constexpr int rows_per_block = 8;  // of a layer's weights
inline constexpr int threads = 256;
// A power of two: multiplying by it rounds nothing.
inline constexpr float share = 0.125f;

}  // namespace aisp::ch11::chain
