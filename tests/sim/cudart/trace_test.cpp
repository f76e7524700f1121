// The schedule that the simulator keeps while somebody asks for it.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/sim/cudart/exported.hpp"
#include "tests/sim/cudart/kernels.hpp"

namespace {

using nlohmann::json;

void start() { exported<void()>("aispTraceStart")(); }
void stop() { exported<void()>("aispTraceStop")(); }
json read() { return json::parse(exported<const char*()>("aispTraceRead")()); }
void push(const char* name) { exported<void(const char*)>("aispTracePush")(name); }
void pop() { exported<void()>("aispTracePop")(); }
void mark(const char* text) { exported<void(const char*)>("aispTraceMark")(text); }

class KeptSchedule : public testing::Test {
 protected:
  KeptSchedule() {
    for (auto& stream : streams_)
      EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&device_, bytes), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&host_, bytes), cudaSuccess);
  }
  ~KeptSchedule() override {
    stop();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (auto& stream : streams_) cudaStreamDestroy(stream);
    cudaEventDestroy(event_);
    cudaFree(device_);
    cudaFreeHost(host_);
  }

  void copy_in(int stream) {
    EXPECT_EQ(cudaMemcpyAsync(device_, host_, bytes, cudaMemcpyDefault, streams_[stream]),
              cudaSuccess);
  }
  void store(int stream) {
    int count = 64;
    void* arguments[] = {&device_, &count};
    EXPECT_EQ(cudaLaunchKernel(kernels::store_index(), 1, 64, arguments, 0, streams_[stream]),
              cudaSuccess);
  }
  unsigned long long id(int stream) const {
    unsigned long long number = 0;
    EXPECT_EQ(cudaStreamGetId(streams_[stream], &number), cudaSuccess);
    return number;
  }

  static constexpr std::size_t bytes = 4096;
  cudaStream_t streams_[2] = {};
  cudaEvent_t event_{};
  void *device_ = nullptr, *host_ = nullptr;
};

TEST_F(KeptSchedule, HasWhatRanAndWhatItCameAfter) {
  start();
  push("step");
  push("in");
  copy_in(0);
  pop();
  EXPECT_EQ(cudaEventRecord(event_, streams_[0]), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(streams_[1], event_, 0), cudaSuccess);
  store(1);
  pop();
  EXPECT_EQ(cudaMemsetAsync(device_, 0, bytes, streams_[1]), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const json schedule = read();
  const json& intervals = schedule["intervals"];
  ASSERT_EQ(intervals.size(), 3u) << schedule;
  const json &copy = intervals[0], &kernel = intervals[1], &fill = intervals[2];
  EXPECT_EQ(copy["engine"], "to device");
  EXPECT_EQ(copy["bytes"], bytes);
  EXPECT_EQ(copy["stream"], id(0));
  EXPECT_EQ(copy["range"], "step/in");
  EXPECT_EQ(copy["after"], 0);
  EXPECT_LT(copy["start"].get<double>(), copy["end"].get<double>());
  EXPECT_EQ(kernel["engine"], "compute");
  EXPECT_NE(kernel["kernel"].get<std::string>().find("store_index"), std::string::npos);
  EXPECT_EQ(kernel["stream"], id(1));
  EXPECT_EQ(kernel["range"], "step");
  EXPECT_EQ(kernel["after"], copy["number"]) << "through the event";
  EXPECT_EQ(kernel["start"], copy["end"]);
  EXPECT_EQ(fill["engine"], "fill");
  EXPECT_EQ(fill["range"], "");
  EXPECT_EQ(fill["after"], kernel["number"]);
  EXPECT_EQ(schedule["ranges"].size(), 2u);
  EXPECT_EQ(schedule["waits"].size(), 1u);
  EXPECT_EQ(schedule["waits"][0]["end"], fill["end"]);
}

TEST_F(KeptSchedule, StreamsThatNothingOrdersRunAtTheSameTime) {
  start();
  copy_in(0);
  EXPECT_EQ(cudaMemcpyAsync(host_, device_, bytes, cudaMemcpyDefault, streams_[1]), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const json intervals = read()["intervals"];
  ASSERT_EQ(intervals.size(), 2u);
  EXPECT_EQ(intervals[0]["start"], intervals[1]["start"]);
}

TEST_F(KeptSchedule, BeginsAgainAndEnds) {
  start();
  copy_in(0);
  mark("gone");
  start();
  copy_in(0);
  mark("kept");
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  stop();
  copy_in(0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const json schedule = read();
  EXPECT_EQ(schedule["intervals"].size(), 1u) << "what was enqueued before or after is not in it";
  ASSERT_EQ(schedule["marks"].size(), 1u);
  EXPECT_EQ(schedule["marks"][0]["text"], "kept");
}

TEST_F(KeptSchedule, HasTheNodesOfAGraph) {
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  ASSERT_EQ(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal), cudaSuccess);
  copy_in(0);
  store(0);
  ASSERT_EQ(cudaStreamEndCapture(streams_[0], &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  start();
  EXPECT_EQ(cudaGraphLaunch(executable, streams_[1]), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const json intervals = read()["intervals"];
  ASSERT_EQ(intervals.size(), 2u);
  EXPECT_EQ(intervals[1]["stream"], id(1));
  EXPECT_EQ(intervals[1]["after"], intervals[0]["number"]);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

}  // namespace
