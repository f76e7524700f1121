#include "lab/measure/l2.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/refuse.hpp"

namespace aisp::lab {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20, gib = std::int64_t{1} << 30;
constexpr std::int64_t l2 = 60 * mib;

TEST(L2Mode, ReadsItsOwnNamesAndNoOthers) {
  for (const L2Mode mode : {L2Mode::cold, L2Mode::hot, L2Mode::rotate})
    EXPECT_EQ(value_named<L2Mode>(name_of(mode)), mode);
  for (const char* word : {"", "Cold", "warm", "rotating"})
    EXPECT_EQ(value_named<L2Mode>(word), std::nullopt) << word;
  EXPECT_EQ(all_names<L2Mode>(), (std::vector<std::string>{"cold", "hot", "rotate"}));
}

TEST(FlushBytes, TwiceL2ButNeverSmall) {
  EXPECT_EQ(flush_bytes(l2), 120 * mib);
  EXPECT_EQ(flush_bytes(4 * mib), 64 * mib);
  EXPECT_EQ(flush_bytes(0), 64 * mib);
}

TEST(BufferSets, ColdAndHotTakeTwo) {
  for (const L2Mode mode : {L2Mode::cold, L2Mode::hot})
    for (const std::int64_t bytes : {std::int64_t{1}, 10 * mib, 30 * gib})
      EXPECT_EQ(buffer_sets(mode, bytes, l2, 100 * gib), 2);
}

TEST(BufferSets, RotationCoversThreeTimesL2) {
  EXPECT_EQ(buffer_sets(L2Mode::rotate, 20 * mib, l2, gib), 9);
  EXPECT_EQ(buffer_sets(L2Mode::rotate, 20 * mib + 1, l2, gib), 9);
  EXPECT_EQ(buffer_sets(L2Mode::rotate, 20 * mib - 1, l2, gib), 10);
  EXPECT_EQ(buffer_sets(L2Mode::rotate, gib, l2, 100 * gib), 2);
  for (std::int64_t bytes = 3 * mib; bytes < 200 * mib; bytes += 7 * mib) {
    const int sets = buffer_sets(L2Mode::rotate, bytes, l2, 100 * gib);
    EXPECT_TRUE(rotation_evicts(sets, bytes, l2)) << bytes;
    EXPECT_TRUE(sets == 2 || !rotation_evicts(sets - 1, bytes, l2)) << bytes;
  }
}

TEST(BufferSets, RotationIsBoundedByCountAndMemory) {
  EXPECT_EQ(buffer_sets(L2Mode::rotate, 1024, l2, gib), 64);
  EXPECT_FALSE(rotation_evicts(64, 1024, l2));
  EXPECT_EQ(buffer_sets(L2Mode::rotate, 0, l2, gib), 64);
  EXPECT_EQ(buffer_sets(L2Mode::rotate, 20 * mib, l2, 100 * mib), 5);
  EXPECT_EQ(buffer_sets(L2Mode::rotate, 20 * mib, l2, 40 * mib), 2);
}

TEST(BufferSets, RefusesWhatDoesNotFitTwice) {
  for (const L2Mode mode : {L2Mode::cold, L2Mode::hot, L2Mode::rotate})
    for (const std::int64_t budget : {std::int64_t{-1}, std::int64_t{0}, 3 * gib}) {
      try {
        buffer_sets(mode, 2 * gib, l2, budget);
        ADD_FAILURE() << "one set was admitted with a budget of " << budget;
      } catch (const base::Refusal& refusal) {
        EXPECT_EQ(refusal.exit(), base::Exit::environment);
        EXPECT_NE(std::string(refusal.what()).find("2.147 GB"), std::string::npos)
            << refusal.what();
        EXPECT_NE(std::string(refusal.what()).find("--sizes"), std::string::npos);
      }
    }
}

TEST(TravelShare, ColdDataTravelsExceptTheLastResults) {
  const auto share = [](L2Mode mode, int sets, double bytes, double written) {
    return travel_share(mode, sets, bytes, written, l2);
  };
  const double small = 10.0 * mib, large = 600.0 * mib;
  EXPECT_DOUBLE_EQ(share(L2Mode::cold, 2, small, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(share(L2Mode::cold, 2, small, small / 2), 0.5);
  EXPECT_DOUBLE_EQ(share(L2Mode::cold, 2, large, large / 2), 0.9);
  EXPECT_DOUBLE_EQ(share(L2Mode::hot, 2, small, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(share(L2Mode::hot, 2, large, 0.0), 0.9);
  EXPECT_DOUBLE_EQ(share(L2Mode::rotate, 18, small, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(share(L2Mode::rotate, 17, small, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(share(L2Mode::cold, 2, 0.0, 0.0), 0.0);
}

}  // namespace
}  // namespace aisp::lab
