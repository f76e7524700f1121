#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/refuse.hpp"
#include "lab/case/element_access.hpp"
#include "lab/case/registry.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/contender.hpp"
#include "tools/differential/work.hpp"

namespace aisp::differential {
namespace {

int architecture_of(lab::Needs needs) {
  switch (needs) {
    case lab::Needs::sm_100a:
      return 100;
    case lab::Needs::sm_90:
    case lab::Needs::sm_90a:
      return 90;
    default:
      return 80;
  }
}

std::vector<std::byte> run(const lab::Problem& problem, const lab::Rung& rung) {
  const auto device = lab::open_cuda_device();
  lab::Buffers buffers(*device, problem, 1);
  buffers.draw(0, 20'261'115);
  lab::Contender contender(*device, problem, rung, rung.name);
  contender.prepare();
  const lab::Launch launch = buffers.launch(0);
  contender.before(launch);
  contender.poison(launch);
  buffers.poison(0);
  contender.run(launch);
  contender.collect(launch);
  device->synchronize();
  std::vector<std::byte> all;
  for (const lab::HostTensor& output : buffers.outputs(0))
    all.insert(all.end(), output.data.begin(), output.data.end());
  return all;
}

// What hardware and simulator may compute in other bits, and why. Outputs of these are compared
// within the tolerance that the case derives; all others must agree in every bit.
struct Inexact {
  std::string_view target, variant, rung;  // an empty word stands for all
  std::string_view why;
};

constexpr std::string_view softmax = "ex2.approx of the softmax";
constexpr std::string_view silu = "ex2.approx and the division of the SiLU, or its tanh.approx";

constexpr Inexact inexact[] = {
    {"ch09:fused_norm_activation", "", "",
     "rsqrt.approx of the norm, ex2.approx and div.approx of the SiLU, before terms that cancel"},
    {"ch10:attention", "", "", softmax},
    {"ch10:attention_decode", "", "", softmax},
    {"ch10:attention_scaling", "", "", softmax},
    {"ch10:cluster_group_no_dsmem", "", "atomic_sum",
     "atomics add eight sums in the order in which blocks arrive"},
    {"ch10:epilogue_fusion", "silu", "", silu},
    {"ch10:epilogue_fusion", "fp8", "", silu},
    {"ch10:flash_attention", "", "", softmax},
    {"ch10:flash_attn_tma_micro_pipeline", "", "", softmax},
    {"ch11:kv_prefetch_pipeline", "", "", softmax},
    {"ch11:stream_ordered_kv_cache", "", "", softmax},
};

std::string why_inexact(const std::string& target, const std::string& variant,
                        const std::string& rung) {
  const auto fits = [](std::string_view word, const std::string& name) {
    return word.empty() || word == name;
  };
  for (const Inexact& row : inexact)
    if (row.target == target && fits(row.variant, variant) && fits(row.rung, rung))
      return std::string(row.why);
  return "";
}

// Within the tolerance, or neighbours in the output's type: what lies between two numbers may be
// rounded to either.
bool is_close(double x, double y, const lab::Output& output) {
  const double tolerance = output.tolerance.absolute + output.tolerance.relative * std::abs(x);
  return std::abs(x - y) <= std::max(tolerance, lab::ulp_at(output.tensor.dtype, x));
}

std::vector<std::string> compare(const lab::Problem& problem, bool exact,
                                 const std::vector<std::byte>& gpu,
                                 const std::vector<std::byte>& simulated) {
  if (gpu.size() != simulated.size()) return {"outputs of different size"};
  std::vector<std::string> complaints;
  std::size_t at = 0;
  for (const lab::Output& output : problem.outputs) {
    const lab::Dtype dtype = output.tensor.dtype;
    const auto step = static_cast<std::size_t>(lab::bytes_of(dtype));
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < output.tensor.count(); ++i, at += step) {
      const std::byte *left = gpu.data() + at, *right = simulated.data() + at;
      if (std::equal(left, left + step, right)) continue;
      const bool close = !exact && is_close(lab::read_element(dtype, left, 0),
                                            lab::read_element(dtype, right, 0), output);
      different += close ? 0 : 1;
    }
    if (different > 0)
      complaints.push_back(base::say(different, " of ", output.tensor.count(), " elements of ",
                                     output.tensor.name, " differ",
                                     exact ? "" : " by more than the case's tolerance"));
  }
  return complaints;
}

}  // namespace

std::vector<Item> chapter_items(const std::string& targets) {
  std::vector<Item> items;
  for (const auto& selection : lab::select_targets(targets))
    for (const lab::Size& size : selection.target->quick) {
      if (!selection.variant.empty() && selection.variant != size.variant) continue;
      for (const lab::Rung& rung : lab::rungs_of(*selection.target)) {
        const bool takes = rung.variants.empty() ||
                           std::find(rung.variants.begin(), rung.variants.end(), size.variant) !=
                               rung.variants.end();
        if (rung.peer || !takes) continue;
        const auto problem = std::make_shared<const lab::Problem>(selection.target->problem(size));
        const std::string id = selection.target->id();
        const std::string why = why_inexact(id, size.variant, rung.name);
        items.push_back(
            {.group = id,
             .name = base::say(id, "/", size.label(), " ", rung.name),
             .run = [problem, &rung] { return run(*problem, rung); },
             .compare =
                 [problem, exact = why.empty()](const auto& gpu, const auto& simulated) {
                   return compare(*problem, exact, gpu, simulated);
                 },
             .architecture = architecture_of(rung.needs),
             .inexact = why});
      }
    }
  return items;
}

}  // namespace aisp::differential
