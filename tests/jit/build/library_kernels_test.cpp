// Kernels of the tile library as NVRTC and as nvcc compile them: what a program is made of at run
// time is to cost no more than what was compiled beforehand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "jit/build/compile.hpp"
#include "tests/support/files.hpp"

namespace aisp::jit {
namespace {

const std::vector<std::string> kernels{"gemm_ping_pong", "gemm_cooperative", "attention_d64",
                                       "attention_d128"};

std::string source_of(const std::string& kernel) {
  return base::say(AISP_SOURCE_DIR, "/tests/jit/build/kernels/", kernel, ".cu");
}

Resources by_nvcc(const std::string& kernel) {
  const std::string command = base::say(
      AISP_NVCC, " -std=c++20 -DNDEBUG -lineinfo -gencode arch=compute_90a,code=sm_90a -cubin ",
      "-Xptxas -v -I", AISP_SOURCE_DIR, " -o /dev/null ", source_of(kernel), " 2>&1");
  std::string log;
  FILE* said = popen(command.c_str(), "r");
  for (int c = 0; said != nullptr && (c = std::fgetc(said)) != EOF;) log += static_cast<char>(c);
  EXPECT_EQ(pclose(said), 0) << command << '\n' << log;
  const auto found = resources_in(log);
  EXPECT_EQ(found.size(), 1u) << log;
  return found.empty() ? Resources{} : found[0];
}

TEST(LibraryKernels, HaveTheRegistersOfNvccAndSpillNoMore) {
  std::vector<KernelText> texts;
  for (const auto& kernel : kernels) texts.push_back({kernel, lab::text_of(source_of(kernel))});
  const auto compiled = compile_all(texts, {.timed = true});
  for (std::size_t at = 0; at < kernels.size(); ++at) {
    SCOPED_TRACE(kernels[at]);
    const Resources there = by_nvcc(kernels[at]);
    ASSERT_EQ(compiled[at].resources.size(), 1u);
    const Resources& here = compiled[at].resources[0];
    std::printf("%-16s NVRTC %d registers, %d + %d bytes spilled; nvcc %d, %d + %d; %.2f s\n",
                kernels[at].c_str(), here.registers, here.spill_stores, here.spill_loads,
                there.registers, there.spill_stores, there.spill_loads, compiled[at].seconds);
    EXPECT_EQ(here.kernel, there.kernel);
    EXPECT_EQ(here.registers, there.registers);
    EXPECT_LE(here.spill_stores + here.spill_loads, there.spill_stores + there.spill_loads);
    EXPECT_EQ(here.shared, there.shared);
    EXPECT_EQ(compiled[at].log, "");  // among others: no attribute that is ignored
  }
}

}  // namespace
}  // namespace aisp::jit
