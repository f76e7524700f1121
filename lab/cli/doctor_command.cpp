#include <fmt/format.h>

#include <algorithm>

#include "base/refuse.hpp"
#include "lab/case/catalog.hpp"
#include "lab/cli/commands.hpp"
#include "lab/cli/doctor_checks.hpp"
#include "lab/cli/measured_ceilings.hpp"
#include "lab/cli/progress.hpp"
#include "lab/device/device.hpp"
#include "lab/device/simulator.hpp"
#include "lab/report/results.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

int measure(const CommandLine& line) {
  if (const auto why = why_no_cuda_device(); !why.empty() || on_simulator())
    base::refuse(base::Exit::environment, "ceilings are measured on a GPU: ",
                 why.empty() ? "this process runs on the simulator" : why);
  CommandLine roofs = line;
  roofs.run.targets = roof_chapter;
  Progress progress(stderr_is_terminal());
  Session session(roofs.run, roofs.as_typed, progress);
  const bool finished = session.run();
  const int exit = session.finish(
      finished ? exit_of_rows(session.result()) : static_cast<int>(base::Exit::interrupted),
      "ceilings");
  fmt::print("{}{}", as_text(results_table(session.result())), reasons(session.result()));
  if (exit != 0) {
    fmt::print("ceilings not stored; {}\n", session.folder().string());
    return exit;
  }
  const Ceilings ceilings = ceilings_from(session.result(), utc_now());
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

}  // namespace aisp::lab
