#include "lab/measure/interleave.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace aisp::lab {
namespace {

TEST(Interleave, GoesForwardThenBackward) {
  const Interleave two(2), three(3);
  std::vector<int> pair, triple;
  for (int turn = 0; turn < 8; ++turn) pair.push_back(two.rung(turn));
  for (int turn = 0; turn < 9; ++turn) triple.push_back(three.rung(turn));
  EXPECT_EQ(pair, (std::vector{0, 1, 1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(triple, (std::vector{0, 1, 2, 2, 1, 0, 0, 1, 2}));
}

TEST(Interleave, LinearDriftCancelsOverWholeRounds) {
  for (int rungs = 1; rungs <= 7; ++rungs) {
    const Interleave order(rungs);
    std::vector<std::int64_t> drift(static_cast<std::size_t>(rungs)), turns(drift);
    for (std::int64_t turn = 0; turn < 10 * rungs; ++turn) {
      const auto rung = static_cast<std::size_t>(order.rung(turn));
      drift.at(rung) += turn;  // a clock that loses one unit each turn
      ++turns.at(rung);
    }
    for (const auto sum : drift) EXPECT_EQ(sum, drift[0]) << rungs << " rungs";
    for (const auto count : turns) EXPECT_EQ(count, 10) << rungs << " rungs";
  }
}

TEST(Interleave, SkippingAFinishedRungKeepsTheOthersMirrored) {
  const Interleave order(3);
  std::int64_t place = 0, first = 0, last = 0;  // rung 1 is done and takes no turn
  for (std::int64_t turn = 0; turn < 12; ++turn) {
    const int rung = order.rung(turn);
    if (rung == 1) continue;
    (rung == 0 ? first : last) += place++;
  }
  EXPECT_EQ(first, last);
}

TEST(Interleave, ManyTurnsStayInRangeAndNoRungsIsRefused) {
  const Interleave order(5);
  for (std::int64_t turn = (std::int64_t{1} << 40); turn < (std::int64_t{1} << 40) + 20; ++turn) {
    EXPECT_GE(order.rung(turn), 0);
    EXPECT_LT(order.rung(turn), 5);
  }
  EXPECT_THROW(Interleave(0), std::invalid_argument);
}

}  // namespace
}  // namespace aisp::lab
