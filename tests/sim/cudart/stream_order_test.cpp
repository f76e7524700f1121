// The order setting of the simulator: which of several independent streams runs first. Each case is
// a process of its own, because the setting is read once.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Note {
  std::string* text;
  char letter;
};

// Letters in the order in which one host function per stream ran; `priorities` of the streams. None
// of them can begin before all are there.
std::string run(std::initializer_list<int> priorities) {
  std::atomic<bool> all_there = false;
  const auto wait = [](void* data) {
    while (!static_cast<std::atomic<bool>*>(data)->load()) std::this_thread::yield();
  };
  cudaStream_t gate{};
  cudaStreamCreateWithFlags(&gate, cudaStreamNonBlocking);
  cudaLaunchHostFunc(gate, wait, &all_there);
  cudaEvent_t opened{};
  cudaEventCreate(&opened);
  cudaEventRecord(opened, gate);

  std::string order;
  std::vector<Note> notes;
  for (std::size_t i = 0; i < priorities.size(); ++i)
    notes.push_back({&order, static_cast<char>('a' + i)});
  auto note = notes.begin();
  for (const int priority : priorities) {
    cudaStream_t stream{};
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority);
    cudaStreamWaitEvent(stream, opened);
    const auto write = [](void* data) {
      const auto* own = static_cast<Note*>(data);
      *own->text += own->letter;
    };
    cudaLaunchHostFunc(stream, write, &*note++);
  }
  all_there = true;
  cudaDeviceSynchronize();
  return order;
}

class StreamOrderDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (dlsym(RTLD_DEFAULT, "aispSimulated") == nullptr)
      GTEST_SKIP() << "hardware decides for itself";
    testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
  void TearDown() override {
    unsetenv("AISP_SIM_ORDER");
    unsetenv("AISP_SIM_SEED");
  }

  static void expect(const char* order, std::initializer_list<int> priorities,
                     const std::string& wanted) {
    setenv("AISP_SIM_ORDER", order, 1);
    EXPECT_EXIT(std::_Exit(run(priorities) == wanted ? 0 : 1), testing::ExitedWithCode(0), "");
  }
};

TEST_F(StreamOrderDeathTest, EarliestIsThatOfSubmission) { expect("earliest", {0, 0, 0}, "abc"); }

TEST_F(StreamOrderDeathTest, LatestLetsTheNewestRunFirst) { expect("latest", {0, 0, 0}, "cba"); }

TEST_F(StreamOrderDeathTest, PriorityGoesFirstWhereTheOrderIsFree) {
  expect("earliest", {0, -1, 0}, "bac");
}

TEST_F(StreamOrderDeathTest, RandomOrdersAreTheSeeds) {
  setenv("AISP_SIM_ORDER", "random", 1);
  int in_order = 0;
  for (int seed = 0; seed < 6; ++seed) {
    setenv("AISP_SIM_SEED", std::to_string(seed).c_str(), 1);
    EXPECT_EXIT(
        {
          const std::string order = run({0, 0, 0, 0});
          std::_Exit(order.size() == 4 ? 10 + (order == "abcd") : 1);
        },
        [&](int status) {
          const int code = WEXITSTATUS(status);
          in_order += code == 11;
          return code >= 10;
        },
        "");
  }
  EXPECT_LT(in_order, 6);
}

}  // namespace
