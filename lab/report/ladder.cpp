#include "lab/report/ladder.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"

namespace aisp::lab {
namespace {

const LadderBar* fastest_peer(const Ladder& ladder) {
  const LadderBar* found = nullptr;
  for (const auto& bar : ladder.bars)
    if (bar.peer && (found == nullptr || bar.rate > found->rate)) found = &bar;
  return found;
}

const LadderBar* last_rung(const Ladder& ladder) {
  const LadderBar* found = nullptr;
  for (const auto& bar : ladder.bars)
    if (!bar.peer) found = &bar;
  return found;
}

std::string shown(const LadderBar& bar) { return bar.name + (bar.peer ? " (peer)" : ""); }

}  // namespace

Ladder ladder_of(const Expectations& expectations, const Target& target,
                 const std::vector<Rung>& rungs, const Size& size) {
  Ladder ladder{.target = target.id(),
                .size = size.label(),
                .hardware = expectations.hardware,
                .unit = {},
                .bars = {}};
  const auto times = expectations.entries.find(target.id() + "/" + size.label());
  if (times == expectations.entries.end()) return ladder;
  const Problem problem = target.problem(size);
  const bool arithmetic = problem.unit != Unit::none && problem.flops > 0;
  ladder.unit = arithmetic ? "TFLOP/s" : "GB/s";
  // Work per millisecond to the unit: 1e3 per second, 1e-12 or 1e-9 of it.
  const double work = arithmetic ? problem.flops * 1e-9 : problem.bytes * 1e-6;
  for (const auto& rung : rungs) {
    const auto time = times->second.find(rung.name);
    if (time == times->second.end()) continue;
    const ExpectedTime& at = time->second;
    ladder.bars.push_back({.name = rung.name,
                           .idea = rung.idea,
                           .peer = rung.peer,
                           .median_ms = at.median_ms,
                           .rate = work / at.median_ms,
                           .low = work / at.high_ms,
                           .high = work / at.low_ms});
  }
  return ladder;
}

Table ladder_table(const Ladder& ladder) {
  const LadderBar* peer = fastest_peer(ladder);
  Table table{.columns = {{"rung"},
                          {"what it changes"},
                          {"median", true},
                          {"speed-up", true},
                          {ladder.unit, true}},
              .rows = {}};
  if (peer != nullptr) table.columns.push_back({"of " + peer->name, true});
  for (const auto& bar : ladder.bars) {
    table.rows.push_back({shown(bar), bar.idea, base::duration(bar.median_ms),
                          fmt::format("{:.2f}x", ladder.bars.front().median_ms / bar.median_ms),
                          fmt::format("{:.1f}", bar.rate)});
    if (peer != nullptr)
      table.rows.back().push_back(fmt::format("{:.1f} %", 100 * bar.rate / peer->rate));
  }
  return table;
}

Table against_peers(const std::vector<Ladder>& ladders) {
  Table table{
      .columns =
          {{"size"}, {"rung"}, {"median", true}, {"peer"}, {"its median", true}, {"ratio", true}},
      .rows = {}};
  double logarithms = 0;
  for (const auto& ladder : ladders) {
    const LadderBar *own = last_rung(ladder), *peer = fastest_peer(ladder);
    if (own == nullptr || peer == nullptr) continue;
    const double ratio = peer->median_ms / own->median_ms;
    logarithms += std::log(ratio);
    table.rows.push_back({ladder.size, own->name, base::duration(own->median_ms), peer->name,
                          base::duration(peer->median_ms), fmt::format("{:.3f}", ratio)});
  }
  if (table.rows.empty()) return table;
  const double mean = std::exp(logarithms / static_cast<double>(table.rows.size()));
  table.rows.push_back({"geometric mean", "", "", "", "", fmt::format("{:.3f}", mean)});
  return table;
}

}  // namespace aisp::lab
