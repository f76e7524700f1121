#include "lab/expect/spread.hpp"

#include <algorithm>
#include <cmath>

#include "base/refuse.hpp"
#include "lab/measure/statistics.hpp"

namespace aisp::lab {

double relative_spread(const RowRecord& row, const RunFile& run) {
  std::vector<double> times = times_of(run, row);
  std::erase_if(times, [](double ms) { return !std::isfinite(ms); });
  const double width =
      times.size() >= 2 ? quantile(times, 0.75) - quantile(times, 0.25) : row.high_ms - row.low_ms;
  const double spread = width / row.median_ms;
  return std::isfinite(spread) ? std::max(spread, 0.0) : 0.0;
}

std::string simulated_size(const DeviceRecord& device) {
  if (!device.simulated) return "";
  const int several = device.simulated_devices;
  return base::say(several > 1 ? base::say(several, " x ") : "", device.multiprocessors,
                   " multiprocessors");
}

Provenance provenance_of(const RunFile& run, const std::vector<const RowRecord*>& rows) {
  Provenance from{.date = run.header.started,
                  .version = run.header.version,
                  .commit = run.header.commit,
                  .device = run.device->name,
                  .driver = run.device->driver,
                  .runtime = run.device->runtime,
                  .timer = run.header.timer,
                  .l2 = run.header.l2,
                  .command = run.header.command,
                  .samples = 0,
                  .sm_mhz = std::nullopt,
                  .simulated = simulated_size(*run.device),
                  .seed = run.device->simulated ? run.header.seed : 0};
  std::vector<double> clocks;
  for (const auto* row : rows) {
    from.samples += std::max(row->samples, 1);
    for (const auto& sample : samples_of(run, *row))
      if (sample.sm_mhz && *sample.sm_mhz > 0) clocks.push_back(*sample.sm_mhz);
  }
  if (!clocks.empty()) from.sm_mhz = median(clocks);
  return from;
}

}  // namespace aisp::lab
