// What the decode kernel's lanes read in each step, against the layout of a slot.
#include "tile/collective/decode/slot_layout.hpp"

#include <gtest/gtest.h>

using namespace aisp;

namespace {

using tile::Cell;
using tile::DecodeConfig;

template <DecodeConfig config>
void expect_steps() {
  const tile::Swizzled layout = operand_layout(config.slot_tile());
  for (int lane = 0; lane < 32; ++lane)
    for (const Cell at :
         {tile::LdMatrixX4::k_major_pairs(lane), tile::LdMatrixX4::mn_major_pairs(lane)}) {
      const int line = tile::slot_line<config>(at), chunk = tile::slot_chunk<config>(at);
      for (int first = 0; first < tile::decode_tile_keys; first += 16)
        for (int step = 0; step < config.head_size / 16; ++step)
          EXPECT_EQ(first * 128 + line + tile::slot_step(chunk, step),
                    layout(first + at.row, 16 * step + 8 * at.column))
              << "lane " << lane << ", step " << step << ", key " << first;
    }
}

TEST(SlotLayout, IsWhatEachStepReads) {
  expect_steps<DecodeConfig{.head_size = 64}>();
  expect_steps<DecodeConfig{.head_size = 96}>();
  expect_steps<DecodeConfig{.head_size = 128}>();
  expect_steps<DecodeConfig{.head_size = 256}>();
}

}  // namespace
