#include "app/tune/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/measure/verdict.hpp"
#include "lab/report/row_cells.hpp"

namespace aisp::app {
namespace {

bool measured(const Attempted& one) { return one.status == AttemptStatus::measured; }
bool bad(const Attempted& one) {
  return one.status == AttemptStatus::wrong || one.status == AttemptStatus::failed;
}

std::string status_of(const Attempted& one, const TunedSize& tuned, bool simulated) {
  if (measured(one) && simulated) return lab::status_word(lab::RowStatus::measured, simulated);
  return measured(one) && &one == tuned.fastest() ? "fastest"
                                                  : std::string(lab::name_of(one.status));
}

std::vector<std::string> row_of(const Attempted& one, const TunedSize& tuned, bool simulated) {
  const Attempted& own = tuned.attempted.front();
  std::vector<std::string> row{tuned.size.label(), one.name, status_of(one, tuned, simulated)};
  if (one.samples.empty()) {
    row.resize(9);
    return row;
  }
  const double ms = lab::median(one.samples);
  row.push_back(simulated ? "" : base::duration(ms));  // on the simulator it is an estimate
  row.push_back(std::to_string(one.samples.size()));
  row.push_back(simulated ? "" : fmt::format("{:.1f}", tuned.flops / (ms * 1e9)));
  const auto ratio = [&](const Attempted* other) {
    if (simulated || other == nullptr || !measured(*other) || !measured(one)) return std::string();
    return fmt::format("{:.3f}x", lab::median(other->samples) / ms);
  };
  row.push_back(ratio(&own));
  const bool compared = !simulated && &one != &own && measured(own) && measured(one);
  row.push_back(compared ? std::string(lab::name_of(lab::compare(own.samples, one.samples).verdict))
                         : "");
  row.push_back(ratio(tuned.against()));
  return row;
}

bool of_interest(const Attempted& one, const TunedSize& tuned) {
  return one.opponent || &one == tuned.fastest() || &one == &tuned.attempted.front();
}

std::string reasons_of(const TuneOutcome& outcome, bool everything) {
  std::string lines;
  for (const auto& tuned : outcome.sizes)
    for (const auto& one : tuned.attempted)
      if (!one.reason.empty() && (everything || bad(one) || of_interest(one, tuned)))
        lines += fmt::format("{} {}: {}: {}\n", tuned.size.label(), one.name,
                             lab::name_of(one.status), one.reason);
  return lines;
}

base::Exit exit_of(const TuneOutcome& outcome) {
  bool wrong = false, nothing = outcome.asked > 0;
  for (const auto& tuned : outcome.sizes) {
    wrong = wrong || std::any_of(tuned.attempted.begin(), tuned.attempted.end(), bad);
    nothing = nothing && tuned.fastest() == nullptr;
  }
  return outcome.interrupted ? base::Exit::interrupted
         : wrong             ? base::Exit::wrong
         : nothing           ? base::Exit::environment
                             : base::Exit::good;
}

std::string last_line(const TuneOutcome& outcome, base::Exit exit) {
  const auto tuned = std::count_if(outcome.sizes.begin(), outcome.sizes.end(),
                                   [](const auto& size) { return size.fastest() != nullptr; });
  const std::string_view verdict = lab::ending_of(exit);
  if (outcome.asked == 0)
    return fmt::format("{}: every size was tuned before; {}", verdict, outcome.path.string());
  if (outcome.simulated)
    return fmt::format("{}: {} of {} sizes checked; nothing was timed, nothing is kept", verdict,
                       tuned, outcome.asked);
  return fmt::format("{}: {} of {} sizes tuned; {}{}", verdict, tuned, outcome.asked,
                     outcome.path.string(),
                     outcome.interrupted ? "; go on with the same command and --missing" : "");
}

}  // namespace

lab::Table candidates_table(const std::vector<SizeCandidates>& all) {
  lab::Table table{{{"size"}, {"candidate"}, {"needs"}}, {}};
  for (const auto& [size, candidates] : all)
    for (const auto& candidate : candidates)
      table.rows.push_back(
          {size.label(), name_of(candidate.choice), std::string(lab::name_of(candidate.needs))});
  return table;
}

lab::Table tuned_table(const TuneOutcome& outcome, bool everything) {
  lab::Table table{{{"size"},
                    {"candidate"},
                    {"status"},
                    {"median", true},
                    {"samples", true},
                    {"TFLOP/s", true},
                    {"speed-up", true},
                    {"verdict"},
                    {"against", true}},
                   {}};
  for (const auto& tuned : outcome.sizes)
    for (const auto& one : tuned.attempted)
      if (everything || bad(one) || of_interest(one, tuned))
        table.rows.push_back(row_of(one, tuned, outcome.simulated));
  return table;
}

void print_table(const lab::Table& table, lab::Format format) {
  std::fputs(lab::render(table, format).c_str(), stdout);
}

int print_outcome(const TuneOutcome& outcome, lab::Format format, bool everything) {
  const base::Exit exit = exit_of(outcome);
  // The table alone on standard output for programs that read it.
  std::FILE* notes = format == lab::Format::table ? stdout : stderr;
  if (!outcome.sizes.empty() || format != lab::Format::table)
    print_table(tuned_table(outcome, everything), format);
  std::fputs(reasons_of(outcome, everything).c_str(), notes);
  std::fprintf(notes, "%s\n", last_line(outcome, exit).c_str());
  return static_cast<int>(exit);
}

}  // namespace aisp::app
