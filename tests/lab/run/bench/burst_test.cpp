#include "lab/run/bench/burst.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "lab/run/bench/checks.hpp"

namespace aisp::lab {
namespace {

BurstReading reading(double seconds, double watts, std::uint64_t reasons = 0) {
  return {seconds,
          {.sm_mhz = {}, .mem_mhz = {}, .watts = watts, .celsius = {}, .reasons = reasons}};
}

constexpr std::uint64_t power_cap = 0x4, hw_thermal = 0x40, idle = 0x1;

TEST(BurstOf, TakesTheSecondHalfWhenTheMeterHasCaughtUp) {
  const Burst burst =
      burst_of({reading(0.0, 125, idle), reading(0.1, 125, idle), reading(0.25, 720),
                reading(0.3, 740, power_cap), reading(0.39, 730), reading(0.41, 200, idle)},
               0.4);
  EXPECT_EQ(burst.watts, 730.0);
  EXPECT_EQ(burst.throttle, std::vector<std::string>{"sw power cap"});
  EXPECT_FALSE(burst.harmful);
  EXPECT_TRUE(burst_of({reading(0.3, 700, hw_thermal)}, 0.4).harmful);
  EXPECT_FALSE(burst_of({}, 0.4).watts.has_value());
}

class Meter : public Gauge {
 public:
  explicit Meter(std::atomic<bool>& working) : working_(working) {}
  Reading read() override {
    return {.sm_mhz = {}, .mem_mhz = {}, .watts = working_ ? 700 : 100, .celsius = {}};
  }

 private:
  std::atomic<bool>& working_;
};

TEST(TakeBurst, ReadsTheMeterWhileTheWorkRuns) {
  std::atomic<bool> working = false;
  Meter meter(working);
  int calls = 0;
  const Burst burst = take_burst(
      meter,
      [&] {
        working = true;
        ++calls;
      },
      0.1);
  working = false;
  EXPECT_GT(calls, 1);
  EXPECT_EQ(burst.watts, 700.0);
  EXPECT_THROW(take_burst(
                   meter, [] { throw std::runtime_error("the rung failed"); }, 0.1),
               std::runtime_error);
}

}  // namespace
}  // namespace aisp::lab
