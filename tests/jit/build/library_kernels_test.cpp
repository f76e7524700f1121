// Kernels of the tile library as NVRTC and as nvcc compile them: what a program is made of at run
// time is to cost no more than what was compiled beforehand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "jit/build/compile.hpp"
#include "jit/build/nvrtc.hpp"
#include "tests/support/files.hpp"
#include "tests/support/sweep.hpp"

namespace aisp::jit {
namespace {

// ptxas takes most of the time of these tests: a sample is one GEMM, and the attention kernels'
// instructions are compared in any case.
const std::vector<std::string> kernels =
    test_sweep::is_full() ? std::vector<std::string>{"gemm_ping_pong", "gemm_cooperative",
                                                     "attention_d64", "attention_d128"}
                          : std::vector<std::string>{"gemm_cooperative"};

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

// The instructions alone: neither lines of sources nor names, which a new parameter of a template
// changes.
std::string instructions_of(const std::string& ptx) {
  std::string kept;
  for (const std::string& line : base::split(ptx.substr(0, ptx.find(".section")), '\n')) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line.starts_with("//")) continue;
    const std::string_view text = std::string_view(line).substr(begin);
    if (text.starts_with(".loc") || text.starts_with(".file")) continue;
    kept += line + '\n';
  }
  for (std::size_t at = 0; (at = kept.find("_ZN", at)) != std::string::npos;) {
    const auto end = kept.find_first_not_of(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", at);
    kept.replace(at, end - at, "NAME");
  }
  return kept;
}

// Functions of scores are a seam of the library's attention: without any the kernels are what they
// were before there was one. A change of the kernels themselves is written down with
// AISP_WRITE_GOLDEN=1; another NVRTC writes other instructions and is not asked.
TEST(LibraryKernels, HaveTheInstructionsOfAttentionWithoutFunctions) {
  std::string made = base::say("NVRTC ", nvrtc().release, '\n');
  for (const std::string kernel : {"attention_d64", "attention_d128"}) {
    const Compiled compiled = compile({kernel, lab::text_of(source_of(kernel))},
                                      {.architecture = "compute_90a", .timed = true});
    made +=
        base::say(kernel, ' ', base::hex_of(base::sha256_of(instructions_of(compiled.ptx))), '\n');
  }
  const std::string golden =
      base::say(AISP_SOURCE_DIR, "/tests/jit/golden/attention_instructions.txt");
  if (std::getenv("AISP_WRITE_GOLDEN") != nullptr) std::ofstream(golden) << made;
  const std::string kept = lab::text_of(golden);
  if (kept.substr(0, kept.find('\n')) != made.substr(0, made.find('\n')))
    GTEST_SKIP() << "written down for " << kept.substr(0, kept.find('\n')) << ": this is "
                 << made.substr(0, made.find('\n'));
  EXPECT_EQ(made, kept);
}

}  // namespace
}  // namespace aisp::jit
