#include "lab/trace/collector.hpp"

#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "lab/case/range.hpp"

namespace aisp::lab {
namespace {

TEST(GpuTrace, OfNothingIsEmptyOrTheReasonIsOneLine) {
  for (int round = 0; round < 2; ++round) {
    try {
      const auto collector = start_gpu_trace(Detail::everything);
      collector->restart();
      EXPECT_TRUE(collector->trace().intervals.empty());
    } catch (const base::Refusal& refusal) {  // no CUPTI or no driver here
      EXPECT_EQ(refusal.exit(), base::Exit::environment);
      const std::string line = refusal.what();
      EXPECT_EQ(line.find('\n'), std::string::npos);
      EXPECT_NE(line.find("leave --trace out"), std::string::npos) << line;
    }
    EXPECT_EQ(set_range_sink(nullptr), nullptr) << "nobody listens afterwards";
  }
}

TEST(SimulatorTrace, IsForProcessesThatRunOnIt) { EXPECT_FALSE(simulator_traces()); }

}  // namespace
}  // namespace aisp::lab
