#include "lab/profile/ncu/bound.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/refuse.hpp"
#include "lab/profile/demangle.hpp"

namespace aisp::lab::ncu {
namespace {

// From this share of its peak on, a unit is what the kernel waits for. Nsight Compute draws the
// line at the same place.
constexpr double busy = 60;
// A grid with fewer waves leaves multiprocessors without work.
constexpr double one_wave = 1;

std::optional<double> value_of(const KernelRecord& kernel, Counter wanted) {
  for (const auto& [counter, value] : kernel.counters)
    if (counter == wanted) return value;
  return std::nullopt;
}

std::string percent(double value) { return base::say(std::lround(value), " %"); }

// The busiest pipe, where it explains the share of compute.
std::string pipe_words(const KernelRecord& kernel) {
  if (kernel.pipes.empty()) return "";
  const auto& [name, share] = kernel.pipes.front();
  return base::say(", most of it the ", name, " pipe (", percent(share), ")");
}

std::string busy_words(const KernelRecord& kernel, double compute, double memory) {
  const double dram = value_of(kernel, Counter::dram_share).value_or(0);
  const double l2 = value_of(kernel, Counter::l2_share).value_or(0);
  if (compute >= memory)
    return base::say("is bound by arithmetic: compute is at ", percent(compute), " of its peak",
                     pipe_words(kernel), ", memory at ", percent(memory));
  if (dram >= busy)
    return base::say("is bound by DRAM, which is at ", percent(dram),
                     " of its peak; compute is at ", percent(compute));
  if (l2 >= busy)
    return base::say("is bound by L2, which is at ", percent(l2), " of its peak; DRAM is at ",
                     percent(dram));
  return base::say("is bound by L1 and shared memory: memory is at ", percent(memory),
                   " of its peak, while L2 is at ", percent(l2), " and DRAM at ", percent(dram));
}

std::string latency_words(const KernelRecord& kernel, double compute, double memory) {
  std::string words = base::say("keeps neither compute (", percent(compute), ") nor memory (",
                                percent(memory), ") busy");
  if (const auto waves = value_of(kernel, Counter::waves); waves && *waves < one_wave)
    words += base::say("; its grid is ", std::round(*waves * 100) / 100, " of a wave");
  const auto waits = std::find_if(
      kernel.stalls.begin(), kernel.stalls.end(),
      [](const auto& stall) { return stall.name != "selected" && stall.name != "not selected"; });
  if (waits != kernel.stalls.end())
    words += base::say("; warps spend ", percent(waits->percent), " of their time waiting for ",
                       stall_words(waits->name));
  if (const auto occupancy = value_of(kernel, Counter::occupancy)) {
    words += base::say("; occupancy is ", percent(*occupancy));
    const auto most = value_of(kernel, Counter::occupancy_limit);
    if (most && *most < 100 && !kernel.limit.empty())
      words += base::say(" of at most ", percent(*most), " for its ", kernel.limit);
  }
  return words;
}

}  // namespace

std::string stall_words(const std::string& cause) {
  static const std::map<std::string, std::string> words{
      {"long scoreboard", "data from L1, L2 or DRAM"},
      {"short scoreboard", "shared memory or special functions"},
      {"barrier", "the other warps at a barrier"},
      {"wait", "the fixed latency of an instruction"},
      {"math pipe throttle", "a busy arithmetic pipe"},
      {"mio throttle", "a full queue of shared-memory instructions"},
      {"lg throttle", "a full queue of global-memory instructions"},
      {"tex throttle", "a full queue of texture instructions"},
      {"drain", "stores to leave"},
      {"membar", "a memory fence"},
      {"gmma", "the tensor core's products"},
      {"warpgroup arrive", "the other warps of a warpgroup"},
      {"no instruction", "instructions to be fetched"},
      {"no instructions", "instructions to be fetched"},
      {"branch resolving", "a branch to be resolved"},
      {"dispatch stall", "the dispatcher"},
      {"sleeping", "the end of a sleep"},
      {"imc miss", "constants to be fetched"},
      {"misc", "something that ncu has no name for"}};
  const auto found = words.find(cause);
  return found != words.end() ? found->second + " (" + cause + ")" : cause;
}

std::string bound_sentence(const std::vector<KernelRecord>& kernels) {
  const auto longest =
      std::max_element(kernels.begin(), kernels.end(),
                       [](const KernelRecord& a, const KernelRecord& b) { return a.us < b.us; });
  if (longest == kernels.end()) return "";
  const auto compute = value_of(*longest, Counter::compute_share);
  const auto memory = value_of(*longest, Counter::memory_share);
  if (!compute || !memory) return "";
  double all = 0;
  for (const auto& kernel : kernels) all += kernel.us;
  std::string subject = "It ";
  if (kernels.size() > 1 && all > 0)
    subject = base::say(short_name(longest->name), ", ", percent(100 * longest->us / all),
                        " of the time of ", kernels.size(), " kernels, ");
  const bool any_busy = std::max(*compute, *memory) >= busy;
  return subject +
         (any_busy ? busy_words(*longest, *compute, *memory)
                   : latency_words(*longest, *compute, *memory)) +
         ".";
}

}  // namespace aisp::lab::ncu
