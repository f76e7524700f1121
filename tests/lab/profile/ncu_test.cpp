// ncu's pages as it printed them on an H200, as other versions print them, cut short and damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/profile/ncu/bound.hpp"
#include "lab/profile/ncu/counters.hpp"
#include "lab/profile/ncu/csv.hpp"
#include "lab/profile/ncu/raw_page.hpp"
#include "lab/profile/ncu/source_page.hpp"
#include "lab/profile/ncu/tool.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab::ncu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string stored(const char* name) {
  return text_of(std::filesystem::path(AISP_SOURCE_DIR) / "tests/lab/profile/outputs" / name);
}

double value_of(const KernelRecord& kernel, Counter wanted) {
  for (const auto& [counter, value] : kernel.counters)
    if (counter == wanted) return value;
  return -1;
}

TEST(NcuCsv, ReadsQuotesCommasAndWhatNcuSaysInBetween) {
  const auto rows =
      read_csv("==PROF== Connected\n\"a\",\"b,c\"\r\n\"say \"\"x\"\"\",\"two\nlines\"\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0], ElementsAre("a", "b,c"));
  EXPECT_THAT(rows[1], ElementsAre("say \"x\"", "two\nlines"));
}

TEST(NcuCsv, LeavesOutARowThatWasCutInItsQuotes) {
  EXPECT_EQ(read_csv("\"a\",\"b\"\n\"c\",\"d").size(), 1U);
  EXPECT_TRUE(read_csv("").empty());
}

TEST(NcuNumber, KnowsSeparatorsAndUnits) {
  EXPECT_EQ(number("1,234.5", ""), 1234.5);
  EXPECT_EQ(number("1234.5", "Kbyte"), 1234500);
  EXPECT_EQ(number("17.792000", "us"), 17792);
  EXPECT_EQ(number("17.792", "usecond"), 17792);
  EXPECT_EQ(number("99.328000", "Kbyte/block"), 99328);
  for (const char* none : {"", "n/a", "(!) n/a", "-", "12x", "nan", "inf"})
    EXPECT_FALSE(number(none, "")) << none;
}

TEST(NcuRawPage, FindsTheRungOfEachKernelByItsRange) {
  const RawPage page = read_raw_page(stored("ncu_2025_3_ranges.csv"));
  EXPECT_EQ(page.problem, "");
  ASSERT_EQ(page.kernels.size(), 3U);
  EXPECT_EQ(page.kernels[0].range, 0);
  EXPECT_EQ(page.kernels[1].range, 1);
  EXPECT_EQ(page.kernels[2].range, 1);
  EXPECT_EQ(page.kernels[2].name, "void conflict<32>(float *)");
  EXPECT_THAT(page.kernels[0].grid, ElementsAre(65536, 1, 1));
  EXPECT_THAT(page.kernels[0].block, ElementsAre(256, 1, 1));
}

// ncu does not double the quotes of a name inside a range.
TEST(NcuRawPage, TakesARangeWithQuotesInIt) {
  const RawPage page = read_raw_page(
      "\"ID\",\"thread Domain:Push/Pop_Range:PL_Type\",\"Kernel Name\",\"a__b.sum\"\n"
      "\"\",\"\",\"\",\"\"\n"
      "\"2\",\"7  \"\"<default domain>:aisp:12:none\"\"  \"\"<default domain>:inner, "
      "\"quoted\":none\"\" \",\"k\",\"5\"\n");
  ASSERT_EQ(page.kernels.size(), 1U) << page.problem;
  EXPECT_EQ(page.kernels[0].range, 12);
  EXPECT_EQ(page.kernels[0].metric("a__b.sum"), 5);
}

// As ncu 2021 had it: no size columns, commas in numbers, other names of units.
TEST(NcuRawPage, ReadsAnOlderVersion) {
  const RawPage page = read_raw_page(
      "==PROF== Disconnected from process 7\n"
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\","
      "\"Context\",\"Stream\",\"dram__bytes.sum\",\"gpu__time_duration.sum\","
      "\"smsp__issue_active.avg.pct_of_peak_sustained_active\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"usecond\",\"%\"\n"
      "\"0\",\"7\",\"p\",\"127.0.0.1\",\"_Z5scalePfi\",\"2021-Mar-01 12:00:00\",\"1\",\"7\","
      "\"1,024.5\",\"12.25\",\"n/a\"\n");
  EXPECT_EQ(page.problem, "");
  ASSERT_EQ(page.kernels.size(), 1U);
  EXPECT_EQ(page.kernels[0].range, -1);
  const KernelRecord kernel = kernel_record(page.kernels[0]);
  EXPECT_EQ(kernel.name, "scale(float*, int)");
  EXPECT_EQ(value_of(kernel, Counter::dram_bytes), 1024.5e6);
  EXPECT_EQ(value_of(kernel, Counter::time), 12.25);
  EXPECT_EQ(value_of(kernel, Counter::issue_share), -1) << "n/a is no zero";
}

// What the counters of a wgmma kernel on an H200 are called: a pipe, its part, and the umbrella
// over it have the same share.
TEST(NcuCounters, NamesThePipeAndNotWhatItSharesItsPortWith) {
  RawKernel raw;
  raw.name = "k";
  const std::string after = "_cycles_active.avg.pct_of_peak_sustained_active";
  for (const char* pipe : {"shared", "tensor", "tensor_type_hmma_hgmma_qgmma"})
    raw.metrics["sm__pipe_" + std::string(pipe) + after] = 89.79;
  raw.metrics["sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_active"] = 8.93;
  const KernelRecord kernel = kernel_record(raw);
  ASSERT_EQ(kernel.pipes.size(), 2U);
  EXPECT_EQ(kernel.pipes[0].name, "tensor");
  EXPECT_EQ(kernel.pipes[0].percent, 89.79);
  EXPECT_EQ(kernel.pipes[1].name, "uniform");
}

TEST(NcuRawPage, SaysWhatIsWrongWithADamagedOne) {
  const std::string whole = stored("ncu_2025_3_base_units.csv");
  const std::size_t rows = read_raw_page(whole).kernels.size();
  ASSERT_EQ(rows, 3U);
  EXPECT_EQ(read_raw_page("").problem, "ncu's output has no table of kernels");
  EXPECT_EQ(read_raw_page("==ERROR== no\n").problem, "ncu's output has no table of kernels");
  // Wherever it was cut: what is left is read, nothing is made up and nothing crashes.
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    const RawPage page = read_raw_page(std::string_view(whole).substr(0, length));
    EXPECT_LE(page.kernels.size(), rows);
    if (page.kernels.size() < rows && page.problem.empty()) {
      for (const auto& kernel : page.kernels) EXPECT_FALSE(kernel.name.empty());
    }
  }
  const auto header_end = whole.find("\n\"\"");
  EXPECT_EQ(read_raw_page(whole.substr(0, header_end + 1)).problem, "ncu's table holds no kernel");
  std::string torn = whole.substr(0, whole.rfind("\n\""));
  torn += "\n\"2\",\"19940\"\n";
  EXPECT_THAT(read_raw_page(torn).problem, HasSubstr("1 of 3 rows of ncu's table are cut short"));
}

TEST(NcuCounters, AreThoseOfTheMatmulLadder) {
  const RawPage page = read_raw_page(stored("ncu_2025_3_matmul.csv"));
  ASSERT_EQ(page.kernels.size(), 6U);
  const KernelRecord first = kernel_record(page.kernels[0]), third = kernel_record(page.kernels[2]);
  EXPECT_DOUBLE_EQ(first.us, 17.792);
  EXPECT_EQ(first.registers, 242);
  EXPECT_EQ(first.dynamic_shared, 99328);
  EXPECT_EQ(value_of(first, Counter::tensor_operations), 138412032) << "parts are not added again";
  EXPECT_EQ(value_of(third, Counter::tensor_operations), 150994944);
  EXPECT_EQ(value_of(first, Counter::bank_conflicts), 2064);
  EXPECT_EQ(value_of(first, Counter::shared_wavefronts), 54453);
  EXPECT_NEAR(value_of(first, Counter::issue_share), 33.99, 0.01);
  EXPECT_NEAR(value_of(first, Counter::l2_hits), 81.5, 0.1);
  EXPECT_EQ(first.limit, "registers");
  ASSERT_FALSE(first.stalls.empty());
  EXPECT_EQ(first.stalls.front().name, "wait");
  EXPECT_EQ(third.stalls.front().name, "long scoreboard");
  double all = 0;
  for (const auto& stall : third.stalls) all += stall.percent;
  EXPECT_NEAR(all, 100, 0.5);
}

TEST(NcuSourcePage, GivesEachKernelItsLines) {
  const auto pages = read_source_pages(stored("ncu_2025_3_source.csv"));
  ASSERT_EQ(pages.size(), 3U) << "one for each launch, also of the same kernel";
  EXPECT_EQ(pages[0].kernel, "scale(float *, int)");
  EXPECT_EQ(pages[2].kernel, "void conflict<(int)32>(float *)");
  ASSERT_EQ(pages[0].lines.size(), 1U);
  EXPECT_EQ(pages[0].lines[0].file, "p.cu");
  EXPECT_EQ(pages[0].lines[0].line, 4);
  EXPECT_EQ(pages[0].lines[0].percent, 100);
  EXPECT_EQ(pages[0].lines[0].stall, "long scoreboard");
  EXPECT_THAT(pages[0].lines[0].text, HasSubstr("x[i] *= 2"));
  const std::string whole = stored("ncu_2025_3_source.csv");
  for (std::size_t length = 0; length < whole.size(); length += 331)
    EXPECT_LE(read_source_pages(std::string_view(whole).substr(0, length)).size(), 3U);
  EXPECT_TRUE(read_source_pages("==ERROR== no\n").empty());
}

KernelRecord counted(double compute, double memory, double dram, double l2) {
  return {.name = "k",
          .us = 10,
          .counters = {{Counter::compute_share, compute},
                       {Counter::memory_share, memory},
                       {Counter::dram_share, dram},
                       {Counter::l2_share, l2},
                       {Counter::occupancy, 12},
                       {Counter::occupancy_limit, 25}},
          .pipes = {{"tensor", 80}},
          .stalls = {{"selected", 50}, {"long scoreboard", 40}},
          .limit = "registers"};
}

TEST(NcuBound, IsOneSentence) {
  EXPECT_EQ(bound_sentence({counted(20, 91, 91, 30)}),
            "It is bound by DRAM, which is at 91 % of its peak; compute is at 20 %.");
  EXPECT_EQ(bound_sentence({counted(82, 40, 30, 30)}),
            "It is bound by arithmetic: compute is at 82 % of its peak, most of it the tensor pipe "
            "(80 %), memory at 40 %.");
  EXPECT_EQ(bound_sentence({counted(30, 75, 20, 75)}),
            "It is bound by L2, which is at 75 % of its peak; DRAM is at 20 %.");
  EXPECT_THAT(bound_sentence({counted(30, 75, 20, 20)}), HasSubstr("L1 and shared memory"));
  EXPECT_EQ(
      bound_sentence({counted(30, 35, 20, 20)}),
      "It keeps neither compute (30 %) nor memory (35 %) busy; warps spend 40 % of their time "
      "waiting for data from L1, L2 or DRAM (long scoreboard); occupancy is 12 % of at most "
      "25 % for its registers.");
  EXPECT_EQ(bound_sentence({}), "");
  EXPECT_EQ(bound_sentence({KernelRecord{.name = "k"}}), "") << "nothing was counted";
}

TEST(NcuTool, KnowsItsComplaints) {
  EXPECT_EQ(problem_in("==PROF== fine\n"), "");
  EXPECT_THAT(problem_in("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"),
              HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_EQ(problem_in("==ERROR== Option '--section X' did not match any section.\r\n"),
            "ncu: Option '--section X' did not match any section.");
  EXPECT_EQ(problem_in("==WARNING== No kernels were profiled.\n"),
            "it launched no kernel in this process");
  EXPECT_EQ(version_in("NVIDIA (R) Nsight Compute\nVersion 2025.3.1.0 (build 36398880)"),
            "2025.3.1");
  EXPECT_EQ(version_in("no such thing"), "");
}

TEST(NcuTool, LeavesClocksAloneAndCountsWhatIsAskedFor) {
  const auto words = collect_words(Profile::roofline, "/tmp/a");
  EXPECT_THAT(words, testing::Contains("none"));
  EXPECT_THAT(words, testing::Not(testing::Contains("SourceCounters")));
  EXPECT_THAT(collect_words(Profile::deep_dive, "/tmp/a"), testing::Contains("SourceCounters"));
}

}  // namespace
}  // namespace aisp::lab::ncu
