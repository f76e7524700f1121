#include "sim/machine/wavefronts.hpp"

#include <algorithm>

namespace aisp::sim {
namespace {

int phases_of(std::uint32_t bytes) { return bytes <= 4 ? 1 : static_cast<int>(bytes / 4); }

}  // namespace

int least_wavefronts(std::uint32_t bytes, Mask mask) {
  const int phases = phases_of(bytes);
  const int lanes_per_phase = lanes / phases;
  int least = 0;
  for (int phase = 0; phase < phases; ++phase) {
    const Mask of_phase = (all_lanes >> (lanes - lanes_per_phase)) << phase * lanes_per_phase;
    least += (mask & of_phase) != 0;
  }
  return least;
}

int extra_wavefronts(const std::uint32_t* offsets, std::uint32_t bytes, Mask mask) {
  constexpr int banks = 32;
  const int phases = phases_of(bytes);
  const int lanes_per_phase = lanes / phases;
  const std::uint32_t words_each = bytes <= 4 ? 1 : bytes / 4;
  int extra = 0;
  for (int phase = 0; phase < phases; ++phase) {
    std::uint32_t words[lanes];
    int count = 0;
    for (int lane = phase * lanes_per_phase; lane < (phase + 1) * lanes_per_phase; ++lane)
      for (std::uint32_t word = 0; (mask >> lane & 1) != 0 && word < words_each; ++word)
        words[count++] = offsets[lane] / 4 + word;
    std::sort(words, words + count);
    const int distinct = static_cast<int>(std::unique(words, words + count) - words);
    int in_bank[banks] = {};
    int deepest = 1;
    for (int i = 0; i < distinct; ++i) deepest = std::max(deepest, ++in_bank[words[i] % banks]);
    extra += deepest - 1;
  }
  return extra;
}

}  // namespace aisp::sim
