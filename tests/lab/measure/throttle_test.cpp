#include "lab/measure/throttle.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace aisp::lab {
namespace {

// Gives the readings it was told, then goes on with the last one.
class MadeUpGauge : public Gauge {
 public:
  explicit MadeUpGauge(std::deque<Reading> readings) : readings_(std::move(readings)) {}
  Reading read() override {
    ++reads;
    const Reading now = readings_.front();
    if (readings_.size() > 1) readings_.pop_front();
    return now;
  }
  int reads = 0;

 private:
  std::deque<Reading> readings_;
};

Reading with_reasons(std::uint64_t reasons, double sm_mhz = 1980) {
  Reading reading;
  reading.sm_mhz = sm_mhz;
  reading.reasons = reasons;
  return reading;
}

using Names = std::vector<std::string>;

TEST(ReasonNames, OnePerBitAndUnknownBitsAreShown) {
  EXPECT_EQ(reason_names(0), Names{});
  EXPECT_EQ(reason_names(0x4), Names{"sw power cap"});
  EXPECT_EQ(reason_names(0x48), (Names{"hw slowdown", "hw thermal"}));
  EXPECT_EQ(reason_names(0x1ff).size(), 9u);
  EXPECT_EQ(reason_names(0xA01), (Names{"idle", "unknown 0xa00"}));
}

TEST(Harmful, HardwareAndHeatAreThePowerCapIsNot) {
  for (const std::uint64_t bit : {0x08, 0x20, 0x40, 0x80}) EXPECT_TRUE(harmful(bit)) << bit;
  for (const std::uint64_t bit : {0x00, 0x01, 0x02, 0x04, 0x10, 0x100, 0x200})
    EXPECT_FALSE(harmful(bit)) << bit;
  EXPECT_TRUE(harmful(0x04 | 0x40));
}

TEST(ThrottleWatch, MarksTheSampleDuringWhichTheReasonStood) {
  MadeUpGauge gauge({with_reasons(0x1), with_reasons(0x44), with_reasons(0x4)});
  ThrottleWatch watch(&gauge);
  EXPECT_FALSE(watch.mark().throttled);
  const Mark hot = watch.mark();
  EXPECT_TRUE(hot.throttled);
  EXPECT_EQ(hot.reasons, (Names{"sw power cap", "hw thermal"}));
  const Mark after = watch.mark();
  EXPECT_FALSE(after.throttled);
  EXPECT_EQ(after.reasons, Names{"sw power cap"});
  EXPECT_EQ(watch.marked(), 3);
  EXPECT_EQ(watch.throttled(), 1);
  EXPECT_EQ(watch.summary(), "1 of 3 samples throttled: hw thermal");
}

TEST(ThrottleWatch, AReasonSeenAtAnyTimeInTheSampleCounts) {
  MadeUpGauge gauge({with_reasons(0x80, 1200), with_reasons(0x0, 1980), with_reasons(0x0, 1970)});
  ThrottleWatch watch(&gauge);
  watch.observe();
  watch.observe();
  const Mark mark = watch.mark();
  EXPECT_EQ(gauge.reads, 2);  // a mark reads for itself only when nobody has
  EXPECT_TRUE(mark.throttled);
  EXPECT_EQ(mark.reading.sm_mhz, 1980);
  EXPECT_EQ(mark.reading.reasons, 0x80u);
  EXPECT_FALSE(watch.mark().throttled);
  EXPECT_EQ(gauge.reads, 3);
}

TEST(ThrottleWatch, QuietRunsSaySo) {
  MadeUpGauge gauge({with_reasons(0x5)});
  ThrottleWatch watch(&gauge);
  for (int i = 0; i < 4; ++i) watch.mark();
  EXPECT_EQ(watch.summary(), "no throttling in 4 samples");
}

TEST(ThrottleWatch, WithoutAGaugeMarksAreEmptyAndTheReasonIsSaid) {
  ThrottleWatch watch(nullptr, "NVML cannot be loaded");
  watch.observe();
  const Mark mark = watch.mark();
  EXPECT_FALSE(mark.throttled);
  EXPECT_FALSE(mark.reading.sm_mhz);
  EXPECT_TRUE(mark.reasons.empty());
  EXPECT_EQ(watch.summary(), "clocks not watched: NVML cannot be loaded");
}

}  // namespace
}  // namespace aisp::lab
