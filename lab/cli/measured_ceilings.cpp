#include "lab/cli/measured_ceilings.hpp"

#include <algorithm>

#include "lab/measure/statistics.hpp"

namespace aisp::lab {
namespace {

// Which ceiling an entry of the roof chapter stands for.
double& ceiling_of(Ceilings& ceilings, const EntryPlan& entry) {
  if (entry.target == "roof:copy") return ceilings.copy_bytes_per_s;
  if (entry.target == "roof:link")
    return entry.variant == "to_host"     ? ceilings.to_host_bytes_per_s
           : entry.variant == "to_device" ? ceilings.to_device_bytes_per_s
                                          : ceilings.both_ways_bytes_per_s;
  if (entry.target == "roof:fma")
    return entry.variant == "f16" ? ceilings.fma_f16 : ceilings.fma_f32;
  if (entry.variant == "tf32") return ceilings.matrix_tf32;
  if (entry.variant == "fp8") return ceilings.matrix_fp8;
  return ceilings.matrix_bf16;
}

// A ceiling is what the device can do, not what it did while its power was capped: the time that
// one sample in twenty beats, which a single lucky sample does not move.
double best_ms(const RunFile& run, const RowRecord& row) {
  return quantile(times_of(run, row), 0.05);
}

}  // namespace

Ceilings ceilings_from(const RunFile& run, const std::string& measured_at) {
  Ceilings ceilings{.hardware = run.device->hardware,
                    .uuid = run.device->uuid,
                    .device = run.device->name,
                    .driver = run.device->driver,
                    .measured_at = measured_at};
  for (const auto& row : latest_rows(run)) {
    const EntryPlan* entry = plan_of(run, row.entry);
    const AttemptRecord* attempt = attempt_of(run, row);
    if (row.status != RowStatus::measured || entry == nullptr || attempt == nullptr) continue;
    if (entry->target == "roof:launch") continue;  // a time, not a rate
    const bool moves = entry->target == "roof:copy" || entry->target == "roof:link";
    const double work = moves ? attempt->bytes : attempt->flops;
    double& ceiling = ceiling_of(ceilings, *entry);
    ceiling = std::max(ceiling, work / (best_ms(run, row) * 1e-3));
  }
  return ceilings;
}

}  // namespace aisp::lab
