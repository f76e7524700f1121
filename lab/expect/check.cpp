// A run against the expectations.
#include "lab/expect/judged.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/expect/counts.hpp"
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

// A worse count weighs more than a better one.
Finding::Kind judge_counts(const std::vector<CountChange>& changes) {
  if (std::any_of(changes.begin(), changes.end(), [](const auto& one) { return one.is_worse(); }))
    return Finding::regression;
  return changes.empty() ? Finding::ok : Finding::improvement;
}

// The time is the host's: it was so when the expected one was taken, or the host that takes most of
// this one took a good part of that one already. A rung that only now keeps the host busy, because
// it launches more, is judged.
bool is_bound_by_host(const RowRecord& row, const ExpectedTime& expected) {
  return expected.why == host_reason || (bound_by_host(row) && expected.host_share.has_value());
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
    case Finding::host_bound:
      return "not judged";
  }
  return "";
}

// What is judged by its counts has no time in its line: that one is only estimated from them.
std::string counted_line(const Finding& finding) {
  std::vector<std::string> parts;
  for (const auto& change : finding.changes) parts.push_back(text_of(change));
  return base::say(finding.entry, ' ', finding.rung, ": ", word(finding.kind), ", ",
                   parts.empty() ? "every count is within its tolerance" : base::join(parts, ", "));
}

std::string line_of(const Finding& finding, const std::string& detail, bool simulated) {
  if (finding.counted) return counted_line(finding);
  const std::string head = finding.entry + " " + finding.rung + ": ";
  if (finding.kind == Finding::missing_expectation)
    return simulated ? head + word(finding.kind)
                     : base::say(head, word(finding.kind), ", measured ",
                                 base::duration(finding.measured_ms));
  if (!detail.empty())
    return simulated ? base::say(head, word(finding.kind), ", ", detail)
                     : base::say(head, word(finding.kind), ", ", detail, " (expected ",
                                 base::duration(finding.expected_ms), ")");
  const std::string time =
      base::say(base::duration(finding.measured_ms), " against ",
                base::duration(finding.expected_ms), " (", percent(finding.ratio - 1));
  if (finding.kind == Finding::host_bound)
    return base::say(head, word(finding.kind), ", ", time, "): the time is ", host_reason);
  return base::say(head, word(finding.kind), ", ", simulated ? "estimated time " : "", time,
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
  if (run.device->simulated && header.seed != expected.seed)
    return base::say("counted with --seed ", header.seed, ", the expected one with --seed ",
                     expected.seed);
  if (header.timer == expected.timer && header.l2 == expected.l2) return "";
  return base::say("timed with --timer ", name_of(header.timer), " --l2 ", name_of(header.l2),
                   ", the expected one with --timer ", name_of(expected.timer), " --l2 ",
                   name_of(expected.l2));
}

// `row` is null for a planned rung that the run never came to; `conditions` is what keeps the two
// times from being compared.
std::optional<Finding> judge(const std::string& entry, const std::string& rung,
                             const RowRecord* row, const ExpectedTime* expected,
                             const std::string& conditions, bool simulated) {
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
      finding.counted = !expected->counts.empty();
      finding.changes = compare_counts(*row, *expected);
      finding.kind =
          finding.counted ? judge_counts(finding.changes) : compare(row->median_ms, *expected);
      finding.slower = !finding.counted && finding.kind == Finding::regression;
      if (is_bound_by_host(*row, *expected)) {
        finding.kind = Finding::host_bound;
        finding.slower = finding.counted = false;
      }
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
  finding.line = line_of(finding, detail, simulated);
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

Finding gone(const std::string& entry, const std::string& rung, const ExpectedTime& expected,
             bool simulated) {
  Finding finding{.entry = entry,
                  .rung = rung,
                  .kind = Finding::regression,
                  .expected_ms = expected.median_ms,
                  .tolerance = expected.tolerance,
                  .line = {}};
  finding.line = line_of(finding, "its target has no such rung any more", simulated);
  return finding;
}

}  // namespace

bool has_time(const RowRecord& row) {
  return row.status == RowStatus::measured && std::isfinite(row.median_ms) && row.median_ms > 0;
}

std::vector<Judged> judge_rows(const Expectations& expectations, const RunFile& run,
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
    if (const auto finding = judge(entry, rung, row, expected, conditions, run.device->simulated))
      judged.push_back({row, *finding});
  };
  for (const auto& row : rows) add(row.entry, row.rung, &row);
  for (const auto& plan : run.header.plan) {
    for (const auto& rung : plan.rungs) add(plan.entry, rung, nullptr);
    for (const auto& rung : gone_from(plan, expectations))
      judged.push_back({nullptr, gone(plan.entry, rung, *expectations.find(plan.entry, rung),
                                      run.device->simulated)});
  }
  return judged;
}

std::vector<Finding> check_expectations(const Expectations& expectations, const RunFile& run) {
  std::vector<Finding> findings;
  for (auto& judged : judge_rows(expectations, run, latest_rows(run)))
    findings.push_back(std::move(judged.finding));
  return findings;
}

bool any_regression(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const auto& finding) { return finding.kind == Finding::regression; });
}

}  // namespace aisp::lab
