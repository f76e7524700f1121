#include <fmt/format.h>

#include <algorithm>

#include "base/refuse.hpp"
#include "lab/case/catalog.hpp"
#include "lab/cli/commands.hpp"
#include "lab/cli/doctor_checks.hpp"
#include "lab/cli/progress.hpp"
#include "lab/measure/ceilings.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/report/results.hpp"
#include "lab/run/plan.hpp"
#include "lab/run/session.hpp"

namespace lab {
namespace {

// Which ceiling an entry of the roof chapter stands for.
double* ceiling_of(Ceilings& ceilings, const EntryPlan& entry) {
  if (entry.target == "roof:copy") return &ceilings.copy_bytes_per_s;
  if (entry.target == "roof:fma")
    return entry.variant == "f16" ? &ceilings.fma_f16 : &ceilings.fma_f32;
  if (entry.variant == "tf32") return &ceilings.matrix_tf32;
  if (entry.variant == "fp8") return &ceilings.matrix_fp8;
  return &ceilings.matrix_bf16;
}

// A ceiling is what the device can do, not what it did while its power was capped: the time that
// one sample in twenty beats, which a single lucky sample does not move.
double best_ms(const RunFile& run, const RowRecord& row) {
  return quantile(times_of(run, row), 0.05);
}

Ceilings ceilings_from(const RunFile& run) {
  Ceilings ceilings{.hardware = run.device->hardware,
                    .uuid = run.device->uuid,
                    .device = run.device->name,
                    .driver = run.device->driver,
                    .measured_at = utc_now()};
  for (const auto& row : latest_rows(run)) {
    if (row.status != "measured") continue;
    for (const auto& entry : run.header.plan) {
      if (entry.entry != row.entry) continue;
      for (const auto& attempt : run.attempts)
        if (attempt.entry == row.entry && attempt.attempt == row.attempt) {
          double& ceiling = *ceiling_of(ceilings, entry);
          const double work = entry.target == "roof:copy" ? attempt.bytes : attempt.flops;
          ceiling = std::max(ceiling, work / (best_ms(run, row) * 1e-3));
        }
    }
  }
  return ceilings;
}

int measure(const CommandLine& line) {
  CommandLine roofs = line;
  roofs.run.targets = roof_chapter;
  Progress progress(stderr_is_terminal());
  Session session(roofs.run, roofs.as_typed, progress);
  const bool finished = session.run();
  const int exit =
      finished ? exit_of_rows(session.result()) : static_cast<int>(base::Exit::interrupted);
  session.finish(exit, "ceilings");
  fmt::print("{}{}", as_text(results_table(session.result())), reasons(session.result()));
  if (exit != 0) {
    fmt::print("ceilings not stored; {}\n", session.folder().string());
    return exit;
  }
  const Ceilings ceilings = ceilings_from(session.result());
  const auto path = ceilings_path(ceilings.hardware, ceilings.uuid);
  save_ceilings(path, ceilings);
  fmt::print("ceilings stored in {}\n", path.string());
  return 0;
}

const char* mark(DoctorLine::State state) {
  switch (state) {
    case DoctorLine::State::good:
      return "good   ";
    case DoctorLine::State::note:
      return "note   ";
    case DoctorLine::State::missing:
      return "missing";
  }
  return "";
}

}  // namespace

int doctor(const CommandLine& line) {
  if (line.measure) return measure(line);
  bool missing = false;
  for (const auto& finding : examine(line)) {
    missing = missing || finding.state == DoctorLine::State::missing;
    fmt::print("{}  {:<13}{}{}\n", mark(finding.state), finding.what, finding.found,
               finding.remedy.empty() ? "" : "; remedy: " + finding.remedy);
  }
  return static_cast<int>(missing ? base::Exit::environment : base::Exit::good);
}

}  // namespace lab
