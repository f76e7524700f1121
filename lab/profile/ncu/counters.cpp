#include "lab/profile/ncu/counters.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "lab/profile/demangle.hpp"

namespace aisp::lab::ncu {
namespace {

// The first of these that was counted is the counter's value, times `scale`.
struct Source {
  Counter counter;
  double scale;
  std::array<const char*, 3> metrics;
};

constexpr Source sources[] = {
    {Counter::time, 1e-3, {"gpu__time_duration.sum", "gpu__time_duration.avg"}},
    {Counter::compute_share, 1, {"sm__throughput.avg.pct_of_peak_sustained_elapsed"}},
    {Counter::memory_share,
     1,
     {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
      "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"}},
    {Counter::issue_share,
     1,
     {"smsp__issue_active.avg.pct_of_peak_sustained_active",
      "sm__inst_issued.avg.pct_of_peak_sustained_active",
      "sm__instruction_throughput.avg.pct_of_peak_sustained_active"}},
    {Counter::instructions, 1, {"smsp__inst_executed.sum", "sm__inst_executed.sum"}},
    {Counter::dram_bytes, 1, {"dram__bytes.sum"}},
    {Counter::dram_share,
     1,
     {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
      "dram__throughput.avg.pct_of_peak_sustained_elapsed"}},
    {Counter::l2_bytes, 1, {"lts__t_bytes.sum"}},
    {Counter::l2_share,
     1,
     {"lts__throughput.avg.pct_of_peak_sustained_elapsed",
      "lts__t_bytes.avg.pct_of_peak_sustained_elapsed",
      "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"}},
    {Counter::l2_hits, 1, {"lts__t_sector_hit_rate.pct"}},
    {Counter::l1_bytes, 1, {"l1tex__t_bytes.sum"}},
    {Counter::l1_hits, 1, {"l1tex__t_sector_hit_rate.pct"}},
    {Counter::shared_wavefronts, 1, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}},
    {Counter::bank_conflicts, 1, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}},
    {Counter::occupancy, 1, {"sm__warps_active.avg.pct_of_peak_sustained_active"}},
    {Counter::occupancy_limit, 1, {"sm__maximum_warps_per_active_cycle_pct"}},
    {Counter::waves, 1, {"launch__waves_per_multiprocessor"}},
};

// Operations of one thread's instruction; a packed half-precision one works on two values.
struct Operation {
  const char* metric;
  double each;
};
constexpr Operation operations[] = {
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 1},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 1},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 1},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 2},
    {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 2},
    {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 2},
    {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 4},
};

// By the type of the factors. Each also has parts (by instruction, by sparsity), which must not be
// counted again.
constexpr const char* tensor_operations[] = {
    "sm__ops_path_tensor_src_bf16_dst_fp32.sum", "sm__ops_path_tensor_src_fp16.sum",
    "sm__ops_path_tensor_src_tf32_dst_fp32.sum", "sm__ops_path_tensor_src_fp8.sum",
    "sm__ops_path_tensor_src_fp64.sum",          "sm__ops_path_tensor_src_int8.sum",
    "sm__ops_path_tensor_src_fp4.sum",           "sm__ops_path_tensor_src_fp6.sum"};

// "smsp__…_stalled_<cause>_per_issue_active.ratio", "sm__inst_executed_pipe_<pipe>.avg.pct_…"
std::string between(const std::string& text, std::string_view before, std::string_view after) {
  if (!text.starts_with(before) || !text.ends_with(after) ||
      text.size() <= before.size() + after.size())
    return "";
  std::string middle = text.substr(before.size(), text.size() - before.size() - after.size());
  std::replace(middle.begin(), middle.end(), '_', ' ');
  return middle;
}

void sort_down(std::vector<ShareRecord>& shares) {
  std::stable_sort(shares.begin(), shares.end(), [](const ShareRecord& a, const ShareRecord& b) {
    return a.percent > b.percent;
  });
}

// "shared" is what tensor cores and FP64 have in common, and a type is a part of its pipe: both
// would stand before the pipe that they mean.
bool names_a_pipe(const std::string& pipe) {
  return !pipe.empty() && pipe != "shared" && pipe.find(" type ") == std::string::npos;
}

std::vector<ShareRecord> pipes_of(const RawKernel& raw) {
  constexpr std::string_view active = ".avg.pct_of_peak_sustained_active";
  constexpr std::string_view elapsed = ".avg.pct_of_peak_sustained_elapsed";
  std::map<std::string, double> pipes;
  for (const auto& [name, value] : raw.metrics)
    for (const std::string_view after : {active, elapsed}) {
      std::string pipe = between(name, "sm__inst_executed_pipe_", after);
      if (pipe.empty()) pipe = between(name, "sm__pipe_", after);
      if (const auto words = pipe.find(" cycles active"); words != std::string::npos)
        pipe.erase(words);
      if (!names_a_pipe(pipe)) continue;
      double& most = pipes[pipe];
      most = std::max(most, value);
    }
  std::vector<ShareRecord> shares;
  for (const auto& [name, value] : pipes)
    if (value >= 0.05) shares.push_back({name, value});
  sort_down(shares);
  return shares;
}

// As shares of the warps' time between two instructions, the time they issue in among it.
std::vector<ShareRecord> stalls_of(const RawKernel& raw) {
  std::vector<ShareRecord> stalls;
  double all = 0;
  for (const auto& [name, value] : raw.metrics) {
    std::string cause =
        between(name, "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio");
    if (cause.empty())
      cause = between(name, "smsp__average_warps_issue_stalled_", "_per_issue_active");
    if (cause.empty() || cause.ends_with("not issued") || value <= 0) continue;
    stalls.push_back({cause, value});
    all += value;
  }
  for (auto& stall : stalls) stall.percent *= 100 / all;
  std::erase_if(stalls, [](const ShareRecord& stall) { return stall.percent < 0.1; });
  sort_down(stalls);
  return stalls;
}

// The resource of which the fewest blocks fit.
std::string limit_of(const RawKernel& raw) {
  constexpr std::pair<const char*, const char*> limits[] = {
      {"launch__occupancy_limit_registers", "registers"},
      {"launch__occupancy_limit_shared_mem", "shared memory"},
      {"launch__occupancy_limit_warps", "warps"},
      {"launch__occupancy_limit_blocks", "blocks"},
      {"launch__occupancy_limit_barriers", "barriers"}};
  std::string limit;
  double fewest = std::numeric_limits<double>::infinity();
  for (const auto& [metric, name] : limits)
    if (const auto blocks = raw.metric(metric); blocks && *blocks > 0 && *blocks < fewest) {
      fewest = *blocks;
      limit = name;
    }
  return limit;
}

double sum_of(const RawKernel& raw, bool& any) {
  double sum = 0;
  for (const auto& [metric, each] : operations)
    if (const auto count = raw.metric(metric)) {
      any = true;
      sum += each * *count;
    }
  return sum;
}

double tensor_sum(const RawKernel& raw, bool& any) {
  double sum = 0;
  for (const char* metric : tensor_operations)
    if (const auto count = raw.metric(metric)) {
      any = true;
      sum += *count;
    }
  return sum;
}

}  // namespace

std::vector<std::string> sections_for(Profile profile) {
  std::vector<std::string> sections{"SpeedOfLight", "LaunchStats", "Occupancy"};
  if (profile == Profile::deep_dive)
    sections.insert(sections.end(), {"ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis",
                                     "SchedulerStats", "WarpStateStats", "SourceCounters"});
  return sections;
}

std::vector<std::string> metrics_for(Profile) {
  std::vector<std::string> metrics;
  for (const auto& source : sources)
    for (const char* metric : source.metrics)
      if (metric != nullptr && std::string_view(metric).find("launch__") != 0 &&
          metric == source.metrics.front())
        metrics.emplace_back(metric);
  for (const auto& operation : operations) metrics.emplace_back(operation.metric);
  metrics.insert(metrics.end(), std::begin(tensor_operations), std::end(tensor_operations));
  return metrics;
}

KernelRecord kernel_record(const RawKernel& raw) {
  const auto whole = [&](const char* metric) {
    return static_cast<std::int64_t>(raw.metric(metric).value_or(0));
  };
  KernelRecord kernel{.name = readable(raw.name),
                      .grid = raw.grid,
                      .block = raw.block,
                      .registers = static_cast<int>(whole("launch__registers_per_thread")),
                      .static_shared = whole("launch__shared_mem_per_block_static"),
                      .dynamic_shared = whole("launch__shared_mem_per_block_dynamic"),
                      .pipes = pipes_of(raw),
                      .stalls = stalls_of(raw),
                      .limit = limit_of(raw)};
  for (const auto& source : sources)
    for (const char* metric : source.metrics)
      if (const auto value = metric != nullptr ? raw.metric(metric) : std::nullopt) {
        kernel.counters.push_back({source.counter, *value * source.scale});
        break;
      }
  bool any = false, any_tensor = false;
  if (const double sum = sum_of(raw, any); any)
    kernel.counters.push_back({Counter::operations, sum});
  if (const double sum = tensor_sum(raw, any_tensor); any_tensor)
    kernel.counters.push_back({Counter::tensor_operations, sum});
  if (const auto time = raw.metric("gpu__time_duration.sum")) kernel.us = *time * 1e-3;
  return kernel;
}

}  // namespace aisp::lab::ncu
