// A run against the expectations, and expectations from a run.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/expect/expectations.hpp"
#include "lab/expect/spread.hpp"

namespace aisp::lab {
namespace {

void check_same_device(const Expectations& expectations, const RunFile& run) {
  const std::string& id = run.header.id;
  if (!run.device)
    base::refuse(base::Exit::usage, "run ", id, " never reached a device: it has no times");
  if (run.device->simulated && !expectations.hardware.ends_with("-simulated"))
    base::refuse(base::Exit::usage, "run ", id, " was simulated (", run.device->name,
                 "): its times are never mixed with measured ones; run on a GPU");
  if (run.device->hardware != expectations.hardware)
    base::refuse(base::Exit::usage, "run ", id, " was measured on ", run.device->hardware,
                 ", these expectations are for ", expectations.hardware, "; use expectations_",
                 run.device->hardware, ".json");
}

bool has_time(const RowRecord& row) {
  return row.status == RowStatus::measured && std::isfinite(row.median_ms) && row.median_ms > 0;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * share);
  return text;
}

Finding::Kind compare(double measured_ms, const ExpectedTime& expected) {
  const double slack = 1 + expected.tolerance;
  // Written this way a time that is not a number is a regression, not a pass.
  if (!(measured_ms <= expected.median_ms * slack)) return Finding::regression;
  return measured_ms * slack < expected.median_ms ? Finding::improvement : Finding::ok;
}

const char* word(Finding::Kind kind) {
  switch (kind) {
    case Finding::ok:
      return "as expected";
    case Finding::regression:
      return "regression";
    case Finding::improvement:
      return "improvement";
    case Finding::missing_expectation:
      return "no expectation yet";
    case Finding::missing_result:
      return "no result";
    case Finding::other_conditions:
      return "not compared";
  }
  return "";
}

std::string line_of(const Finding& finding, const std::string& detail) {
  const std::string head = finding.entry + " " + finding.rung + ": ";
  if (finding.kind == Finding::missing_expectation)
    return base::say(head, word(finding.kind), ", measured ", base::duration(finding.measured_ms));
  if (!detail.empty())
    return base::say(head, word(finding.kind), ", ", detail, " (expected ",
                     base::duration(finding.expected_ms), ")");
  return base::say(head, word(finding.kind), ", ", base::duration(finding.measured_ms), " against ",
                   base::duration(finding.expected_ms), " (", percent(finding.ratio - 1),
                   ", tolerance ", percent(finding.tolerance), ")");
}

// "wrong: 3 of 4096 elements …" for a row without a time.
std::string why_no_time(const RowRecord& row) {
  if (row.status == RowStatus::measured)
    return base::say("median of ", row.median_ms, " ms is no time");
  return base::say(name_of(row.status), row.reason.empty() ? "" : ": ", row.reason);
}

// Whatever was expected to have a time and has none is broken, unless nothing was timed or it is
// not this device's to run: "needs sm_100a; NVIDIA H200 is sm_90".
bool is_broken(const RowRecord& row) {
  if (row.status == RowStatus::checked) return false;
  return row.status != RowStatus::skipped || !row.reason.starts_with("needs sm_");
}

// "" when the run was timed as the expected time was, else the difference for the reader.
std::string other_conditions(const RunFile& run, const Provenance& expected) {
  if (const auto here = simulated_size(*run.device); here != expected.simulated)
    return base::say("counted on ", here, ", the expected one on ", expected.simulated);
  const RunHeader& header = run.header;
  if (header.timer == expected.timer && header.l2 == expected.l2) return "";
  return base::say("timed with --timer ", name_of(header.timer), " --l2 ", name_of(header.l2),
                   ", the expected one with --timer ", name_of(expected.timer), " --l2 ",
                   name_of(expected.l2));
}

// `row` is null for a planned rung that the run never came to; `conditions` is what keeps the two
// times from being compared.
std::optional<Finding> judge(const std::string& entry, const std::string& rung,
                             const RowRecord* row, const ExpectedTime* expected,
                             const std::string& conditions) {
  Finding finding{.entry = entry, .rung = rung, .line = {}};
  std::string detail;
  if (expected) {
    finding.expected_ms = expected->median_ms;
    finding.tolerance = expected->tolerance;
  }
  if (row && has_time(*row)) {
    finding.measured_ms = row->median_ms;
    finding.kind = Finding::missing_expectation;
    if (expected && !conditions.empty()) {
      finding.kind = Finding::other_conditions;
      detail = conditions;
    } else if (expected) {
      finding.ratio = row->median_ms / expected->median_ms;
      finding.kind = compare(row->median_ms, *expected);
      finding.slower = finding.kind == Finding::regression;
    }
  } else if (expected && row && row->status == RowStatus::skipped && !conditions.empty()) {
    finding.kind = Finding::other_conditions;
    detail = conditions;
  } else if (expected) {
    finding.kind = row && is_broken(*row) ? Finding::regression : Finding::missing_result;
    detail = row ? why_no_time(*row) : "the run ended before it";
  } else {
    return std::nullopt;
  }
  finding.line = line_of(finding, detail);
  return finding;
}

// Expected rungs of a planned entry that its target no longer has.
std::vector<std::string> gone_from(const EntryPlan& plan, const Expectations& expectations) {
  std::vector<std::string> gone;
  const auto expected = expectations.entries.find(plan.entry);
  const Target* target = find_target(plan.target);
  if (expected == expectations.entries.end() || target == nullptr) return gone;
  for (const auto& [name, time] : expected->second)
    if (std::none_of(rungs_of(*target).begin(), rungs_of(*target).end(),
                     [&name = name](const Rung& rung) { return rung.name == name; }))
      gone.push_back(name);
  return gone;
}

Finding gone(const std::string& entry, const std::string& rung, const ExpectedTime& expected) {
  Finding finding{.entry = entry,
                  .rung = rung,
                  .kind = Finding::regression,
                  .expected_ms = expected.median_ms,
                  .tolerance = expected.tolerance,
                  .line = {}};
  finding.line = line_of(finding, "its target has no such rung any more");
  return finding;
}

struct Judged {
  const RowRecord* row;  // null: planned, never run
  Finding finding;
};

std::vector<Judged> judge_all(const Expectations& expectations, const RunFile& run,
                              const std::vector<RowRecord>& rows) {
  check_same_device(expectations, run);
  std::vector<Judged> judged;
  std::set<std::pair<std::string, std::string>> seen;
  const auto add = [&](const std::string& entry, const std::string& rung, const RowRecord* row) {
    if (!entry.starts_with(expectations.chapter + ":") || !seen.insert({entry, rung}).second)
      return;
    const ExpectedTime* expected = expectations.find(entry, rung);
    const std::string conditions =
        expected ? other_conditions(run, expectations.provenance.at(expected->run)) : "";
    if (const auto finding = judge(entry, rung, row, expected, conditions))
      judged.push_back({row, *finding});
  };
  for (const auto& row : rows) add(row.entry, row.rung, &row);
  for (const auto& plan : run.header.plan) {
    for (const auto& rung : plan.rungs) add(plan.entry, rung, nullptr);
    for (const auto& rung : gone_from(plan, expectations))
      judged.push_back({nullptr, gone(plan.entry, rung, *expectations.find(plan.entry, rung))});
  }
  return judged;
}

struct Tolerated {
  double tolerance;
  std::string why;
};

Tolerated tolerated(const RowRecord& row, const RunFile& run, double spread) {
  if (run.device->simulated) return {std::max(counted_tolerance, spread), "counted"};
  Tolerated most{default_tolerance, ""};
  if (std::find(row.throttle.begin(), row.throttle.end(), "sw power cap") != row.throttle.end())
    most = {power_cap_tolerance, "power cap"};
  if (bound_by_host(row)) most = {host_tolerance, "bound by the host"};
  if (tolerated_spreads * spread > most.tolerance)
    most = {tolerated_spreads * spread, "spread of its samples"};
  return most;
}

ExpectedTime time_of(const RowRecord& row, const RunFile& run, const ExpectedTime* before) {
  const double spread = relative_spread(row, run);
  const auto [tolerance, why] = tolerated(row, run, spread);
  return {
      .median_ms = row.median_ms,
      // The interval comes from resampling and may miss its own median by rounding.
      .low_ms = std::min(row.low_ms > 0 ? row.low_ms : row.median_ms, row.median_ms),
      .high_ms = std::isfinite(row.high_ms) ? std::max(row.high_ms, row.median_ms) : row.median_ms,
      .samples = std::max(row.samples, 1),
      .spread = spread,
      .tolerance = tolerance,
      .why = why,
      .best_ms = before != nullptr ? std::min(before->best_ms, row.median_ms) : row.median_ms,
      .run = run.header.id};
}

void drop_unused_provenance(Expectations& expectations) {
  std::set<std::string> used;
  for (const auto& [entry, rungs] : expectations.entries)
    for (const auto& [rung, time] : rungs) used.insert(time.run);
  std::erase_if(expectations.provenance,
                [&](const auto& item) { return !used.contains(item.first); });
}

}  // namespace

std::vector<Finding> check_expectations(const Expectations& expectations, const RunFile& run) {
  std::vector<Finding> findings;
  for (auto& judged : judge_all(expectations, run, latest_rows(run)))
    findings.push_back(std::move(judged.finding));
  return findings;
}

bool any_regression(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const auto& finding) { return finding.kind == Finding::regression; });
}

ExpectationUpdate update_expectations(Expectations& expectations, const RunFile& run,
                                      bool accept_regressions) {
  const auto rows = latest_rows(run);
  ExpectationUpdate update;
  std::vector<const RowRecord*> written;
  for (auto& [row, finding] : judge_all(expectations, run, rows)) {
    const bool timed = row && has_time(*row);
    const ExpectedTime* before = expectations.find(finding.entry, finding.rung);
    const bool crept = timed && before != nullptr && finding.kind != Finding::other_conditions &&
                       row->median_ms > before->best_ms * (1 + before->tolerance);
    if (crept && finding.kind != Finding::regression) {
      finding.kind = Finding::regression;
      finding.line = base::say(finding.entry, ' ', finding.rung, ": regression, ",
                               base::duration(row->median_ms), " against ",
                               base::duration(before->best_ms), ", the best that stood here");
    }
    const bool allowed = finding.kind != Finding::other_conditions &&
                         (finding.kind != Finding::regression || accept_regressions);
    if (timed && allowed) {
      // What was accepted once is the new best.
      expectations.entries[row->entry][row->rung] = time_of(*row, run, crept ? nullptr : before);
      written.push_back(row);
    }
    (timed && allowed ? update.written : update.kept).push_back(std::move(finding));
  }
  if (!written.empty()) expectations.provenance[run.header.id] = provenance_of(run, written);
  drop_unused_provenance(expectations);
  return update;
}

}  // namespace aisp::lab
