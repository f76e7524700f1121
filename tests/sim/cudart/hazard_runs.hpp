// Programs under the hazard checker: each is a process of its own, because the setting is read once
// and findings are kept for the whole process.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace aisp::hazard_runs {

constexpr const char* variable = "AISP_SIM_HAZARDS";

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// What the text of a finding says about one of its keys, up to the next quote.
inline std::string value_of(const std::string& line, const std::string& key) {
  const std::string start = "\"" + key + "\":\"";
  const auto begin = line.find(start);
  if (begin == std::string::npos) return "";
  const auto value = begin + start.size();
  return line.substr(value, line.find('"', value) - value);
}

class Test : public testing::Test {
 protected:
  void SetUp() override {
    if (dlsym(RTLD_DEFAULT, "aispSimulated") == nullptr)
      GTEST_SKIP() << "hardware has no such checker";
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / "aisp_hazards" / info->test_suite_name() /
              info->name();
    // A death test does all of this again, up to its own statement, in the process that dies.
    if (std::getenv(variable) == nullptr) std::filesystem::remove_all(folder_);
  }
  void TearDown() override {
    unsetenv(variable);
    unsetenv("AISP_SIM_ORDER");
  }

  // Runs the program in processes of its own, one for each order, and compares the rules found.
  template <class Program>
  void expect(const std::vector<std::string>& rules, Program program) {
    ++programs_;
    for (const char* order : {"earliest", "latest", "random"}) {
      const auto folder = folder_ / (order + std::to_string(programs_));
      setenv(variable, folder.c_str(), 1);
      setenv("AISP_SIM_ORDER", order, 1);
      EXPECT_EXIT(run(program), testing::ExitedWithCode(0), "");
      EXPECT_EQ(rules_in(folder), rules) << order;
    }
  }

  // Of this process, so far.
  static std::vector<std::string> own_findings() {
    return lines_of(std::filesystem::path(std::getenv(variable)) /
                    (std::to_string(getpid()) + ".jsonl"));
  }

 private:
  // Of all processes that wrote there.
  static std::vector<std::string> rules_in(const std::filesystem::path& folder) {
    std::vector<std::string> rules;
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(folder, none))
      for (const std::string& line : lines_of(file)) rules.push_back(value_of(line, "rule"));
    return rules;
  }
  template <class Program>
  [[noreturn]] static void run(Program& program) {
    program();
    std::exit(0);
  }

  std::filesystem::path folder_;
  int programs_ = 0;
};

struct Streams {
  cudaStream_t first{}, second{};
  explicit Streams(unsigned flags = cudaStreamNonBlocking) {
    cudaStreamCreateWithFlags(&first, flags);
    cudaStreamCreateWithFlags(&second, flags);
  }
};

inline char* device_memory(std::size_t bytes) {
  void* memory = nullptr;
  cudaMalloc(&memory, bytes);
  return static_cast<char*>(memory);
}
inline char* pinned_memory(std::size_t bytes) {
  void* memory = nullptr;
  cudaMallocHost(&memory, bytes);
  return static_cast<char*>(memory);
}

}  // namespace aisp::hazard_runs
