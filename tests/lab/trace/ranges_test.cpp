#include "lab/trace/ranges.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace aisp::lab {
namespace {

// Listens while it lives.
class Listening {
 public:
  explicit Listening(RangeSink& sink) : before_(set_range_sink(&sink)) {}
  ~Listening() { set_range_sink(before_); }

 private:
  RangeSink* before_;
};

TEST(Ranges, NestAndHaveTimes) {
  std::uint64_t now = 0;
  RangeLog log([&] { return now += 10; });
  {
    const Listening listening(log);
    const Range outer("step");      // 10
    { const Range inner("copy"); }  // 20, 30
    mark("more streams");           // 40
  }
  const auto ranges = log.ranges();
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].path, "step");
  EXPECT_EQ(ranges[0].end, 50u);
  EXPECT_EQ(ranges[1].path, "step/copy");
  EXPECT_EQ(ranges[1].start, 20u);
  EXPECT_EQ(ranges[1].end, 30u);
  ASSERT_EQ(log.marks().size(), 1u);
  EXPECT_EQ(log.marks()[0].at, 40u);
}

TEST(Ranges, BegunBeforeSomebodyListensAreNotHeard) {
  RangeLog log([] { return 1; });
  const Range early("early");
  {
    const Range also("also early");
    const Listening listening(log);
  }
  EXPECT_TRUE(log.ranges().empty());
  log.pop();  // of nothing
}

TEST(Ranges, ThatEndAfterwardsStayOpen) {
  RangeLog log([] { return 1; });
  std::optional<Range> late;
  {
    const Listening listening(log);
    late.emplace("late");
  }
  late.reset();
  ASSERT_EQ(log.ranges().size(), 1u);
  EXPECT_EQ(log.ranges()[0].end, UINT64_MAX);
}

TEST(Ranges, OfThreadsAreApart) {
  RangeLog log([] { return 5; });
  {
    const Listening listening(log);
    const Range here("here");
    std::thread([] { const Range there("there"); }).join();
  }
  const auto ranges = log.ranges();
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[1].path, "there");
  EXPECT_NE(ranges[0].thread, ranges[1].thread);
}

TEST(Ranges, ReadsFromStorageAreHeardAloneWhereTheHostIsToBeLeftInPeace) {
  std::uint64_t now = 0;
  RangeLog log([&] { return now += 10; }, Heard::storage);
  {
    const Listening listening(log);
    const Range outer("step");
    {
      const Range read(storage_range);  // 10
      { const Range inner("copy"); }    // 20: its end is not taken for that of the read
    }                                   // 30
    mark("more streams");
  }
  const auto ranges = log.ranges();
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].path, storage_range);
  EXPECT_EQ(ranges[0].start, 10u);
  EXPECT_EQ(ranges[0].end, 30u);
  EXPECT_TRUE(log.marks().empty());
}

TEST(Ranges, ClearKeepsWhatIsOpen) {
  std::uint64_t now = 0;
  RangeLog log([&] { return ++now; });
  log.push("open");
  log.push("ended");
  log.pop();
  log.mark("gone");
  log.clear();
  ASSERT_EQ(log.ranges().size(), 1u);
  EXPECT_EQ(log.ranges()[0].name, "open");
  EXPECT_TRUE(log.marks().empty());
  log.push("inside");
  log.pop();
  log.pop();
  ASSERT_EQ(log.ranges().size(), 2u);
  EXPECT_EQ(log.ranges()[1].path, "open/inside");
  EXPECT_GT(log.ranges()[0].end, log.ranges()[1].end);
  EXPECT_NE(log.ranges()[0].end, UINT64_MAX) << "it ended after all";
}

TEST(Ranges, TheInnermostOneGivesThePath) {
  const std::vector<LoggedRange> ranges{
      {1, "a", "a", 10, 100}, {1, "b", "a/b", 20, 30}, {1, "c", "a/c", 40, UINT64_MAX}};
  EXPECT_EQ(path_at(ranges, 1, 5), "");
  EXPECT_EQ(path_at(ranges, 1, 15), "a");
  EXPECT_EQ(path_at(ranges, 1, 25), "a/b");
  EXPECT_EQ(path_at(ranges, 1, 35), "a");
  EXPECT_EQ(path_at(ranges, 1, 50), "a/c");
  EXPECT_EQ(path_at(ranges, 2, 25), "");
}

TEST(StreamNames, LastUntilTheyAreForgotten) {
  const auto handle = reinterpret_cast<cudaStream_t>(0x1230);
  name_stream(handle, "first");
  name_stream(handle, "copies");
  const auto count = [&] {
    int found = 0;
    for (const auto& named : named_streams())
      found += named.stream == handle && named.name == "copies" ? 1 : 0;
    return found;
  };
  EXPECT_EQ(count(), 1);
  forget_stream(handle);
  EXPECT_EQ(count(), 0);
}

}  // namespace
}  // namespace aisp::lab
