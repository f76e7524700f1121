#include "tile/pipeline/ring_state.hpp"

#include <gtest/gtest.h>

using namespace aisp;

namespace {

using tile::RingState;

template <int stages>
constexpr RingState<stages> after(RingState<stages> state, int steps) {
  for (int i = 0; i < steps; ++i) ++state;
  return state;
}

static_assert(after(RingState<3>::reader(), 3) == RingState<3>{0, 1});
static_assert(after(RingState<3>::reader(), 7) == RingState<3>{1, 0});
static_assert(RingState<4>::writer().phase == 1, "an empty ring lets the writer through");

TEST(RingState, SkippingIsSteppingManyTimes) {
  for (int start = 0; start < 10; ++start)
    for (int count = 0; count < 40; ++count) {
      auto skipped = after(RingState<6>::reader(), start);
      skipped += count;
      EXPECT_EQ(skipped, after(RingState<6>::reader(), start + count)) << start << " " << count;
    }
}

// A writer and a reader with their own states and the barriers' parities meet in every slot.
TEST(RingState, WriterAndReaderFollowEachOther) {
  constexpr int stages = 3;
  int filled[stages] = {}, emptied[stages] = {};  // completed phases of the barriers
  auto writer = RingState<stages>::writer();
  auto reader = RingState<stages>::reader();
  const auto passes = [](int completed, unsigned parity) {
    return (static_cast<unsigned>(completed) & 1u) != parity;
  };
  int written = 0, read = 0;
  for (int turn = 0; turn < 100; ++turn) {
    while (passes(emptied[writer.slot], writer.phase) && written < read + stages) {
      ++filled[writer.slot];
      ++writer;
      ++written;
    }
    ASSERT_TRUE(passes(filled[reader.slot], reader.phase));
    ++emptied[reader.slot];
    ++reader;
    ++read;
    EXPECT_LE(written - read, stages);
  }
  EXPECT_EQ(read, 100);
}

}  // namespace
