// AISP_SIM_DROP_WAIT: one cudaStreamWaitEvent that does nothing, and the checker that sees it.
#include <cstdio>

#include "tests/sim/cudart/hazard_runs.hpp"

using namespace aisp;

namespace {

using hazard_runs::device_memory;
using hazard_runs::Streams;

class DroppedWaitDeathTest : public hazard_runs::Test {
 protected:
  void TearDown() override {
    unsetenv("AISP_SIM_DROP_WAIT");
    unsetenv("AISP_SIM_LIST_SYNC");
    hazard_runs::Test::TearDown();
  }

  template <class Program>
  void expect_without(int wait, const std::vector<std::string>& rules, Program program) {
    setenv("AISP_SIM_DROP_WAIT", std::to_string(wait).c_str(), 1);
    expect(rules, program);
  }
};

void record_and_wait(cudaStream_t first, cudaStream_t second) {
  cudaEvent_t event{};
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
}

// One fill, another in a second stream after it, and a third in the first stream after that.
void there_and_back(const Streams& streams, char* memory) {
  cudaMemsetAsync(memory, 1, 64, streams.first);
  record_and_wait(streams.first, streams.second);
  cudaMemsetAsync(memory, 2, 64, streams.second);
  record_and_wait(streams.second, streams.first);
  cudaMemsetAsync(memory, 3, 64, streams.first);
}

void run_there_and_back() {
  there_and_back(Streams(), device_memory(64));
  cudaDeviceSynchronize();
}

void replay_there_and_back() {
  const Streams streams;
  char* memory = device_memory(64);
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeGlobal);
  there_and_back(streams, memory);
  ASSERT_EQ(cudaStreamEndCapture(streams.first, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, streams.first), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// Where a program of its own has no test to fail.
void require(char got, char wanted, const char* what) {
  if (got == wanted) return;
  std::fprintf(stderr, "%s: got %d, wanted %d\n", what, got, wanted);
  std::exit(1);
}

// Two fills in the first stream, and a copy in the second of what the later one writes.
void copy_too_early() {
  const Streams streams;
  char *ahead = device_memory(64), *memory = device_memory(64), *copy = device_memory(64);
  cudaMemset(memory, 1, 64);
  cudaDeviceSynchronize();
  cudaMemsetAsync(ahead, 2, 64, streams.first);
  cudaMemsetAsync(memory, 2, 64, streams.first);
  record_and_wait(streams.first, streams.second);
  cudaMemcpyAsync(copy, memory, 64, cudaMemcpyDeviceToDevice, streams.second);
  cudaStreamSynchronize(streams.second);
  char got = 0;
  cudaMemcpyAsync(&got, copy, 1, cudaMemcpyDeviceToHost, streams.second);
  cudaStreamSynchronize(streams.second);
  require(got, 1, "copied before the fill, for the copy could run");
  cudaDeviceSynchronize();
  cudaMemcpy(&got, memory, 1, cudaMemcpyDeviceToHost);
  require(got, 2, "filled in the end");
}

TEST_F(DroppedWaitDeathTest, LetsWhatItWaitedForRunLast) {
  expect_without(1, {"stream-race"}, copy_too_early);
}

TEST_F(DroppedWaitDeathTest, LeavesTheTwoStreamsUnordered) {
  expect_without(1, {"stream-race"}, run_there_and_back);
  expect_without(2, {"stream-race"}, run_there_and_back);
}

TEST_F(DroppedWaitDeathTest, IsTheOneThatWasAskedFor) { expect_without(3, {}, run_there_and_back); }

TEST_F(DroppedWaitDeathTest, TakesTheEdgeOutOfACapturedGraph) {
  expect_without(1, {"stream-race"}, replay_there_and_back);
  expect_without(2, {"stream-race"}, replay_there_and_back);
  expect_without(3, {}, replay_there_and_back);
}

TEST_F(DroppedWaitDeathTest, ListsWhatCouldBeDropped) {
  const std::string list = testing::TempDir() + "aisp_waits";
  if (std::getenv("AISP_SIM_LIST_SYNC") == nullptr) std::filesystem::remove(list);
  setenv("AISP_SIM_LIST_SYNC", list.c_str(), 1);
  expect_without(2, {"stream-race"}, run_there_and_back);
  const auto lines = hazard_runs::lines_of(list);
  ASSERT_EQ(lines.size(), 6u);  // two waits in each of the three orders
  EXPECT_EQ(lines[0].rfind("(host)\t1\t0\tprocess ", 0), 0u) << lines[0];
  EXPECT_EQ(lines[0].find("dropped"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("waits for an event of stream "), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find(", dropped"), std::string::npos) << lines[1];
}

TEST_F(DroppedWaitDeathTest, RefusesWhatIsNoNumber) {
  for (const char* setting : {"first", "0", "-1"}) {
    setenv("AISP_SIM_DROP_WAIT", setting, 1);
    EXPECT_EXIT(run_there_and_back(), testing::ExitedWithCode(2), "is not a number from 1");
  }
}

}  // namespace
