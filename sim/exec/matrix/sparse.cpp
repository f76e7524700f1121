#include "sim/exec/matrix/sparse.hpp"

namespace aisp::sim {

void sparse_index(Type type, int k, int selector, const std::uint32_t* metadata,
                  std::uint8_t* index) {
  const int row_nibbles = nibbles_per_row(type, k), stored = k / 2;
  for (int row = 0; row < 16; ++row) {
    for (int at = 0; at < stored; ++at) {
      const MetadataPlace place =
          metadata_place(type, row, nibble_of(type, at), row_nibbles, selector);
      const int nibble = static_cast<int>(metadata[place.lane] >> place.bit & 15);
      index[row * stored + at] = static_cast<std::uint8_t>(sparse_row(type, at, nibble));
    }
  }
}

}  // namespace aisp::sim
