#include <fmt/format.h>

#include <cstdio>

#include "base/refuse.hpp"
#include "lab/cli/commands.hpp"
#include "lab/cli/progress.hpp"
#include "lab/device/simulator.hpp"
#include "lab/measure/ceilings.hpp"
#include "lab/record/file.hpp"
#include "lab/report/cliffs.hpp"
#include "lab/report/heat_svg.hpp"
#include "lab/report/overlap.hpp"
#include "lab/report/results.hpp"
#include "lab/report/sweep.hpp"
#include "lab/report/sweep_svg.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/plan/sweep.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

// What was typed when the sweep began: a resumed one goes on with its axes.
CommandLine original(const CommandLine& line) {
  if (line.run.resume.empty()) return line;
  const RunFile run = read_run(find_run(line.run.resume, line.run.out));
  if (run.header.command.empty() || run.header.command.front() != "sweep")
    base::refuse(base::Exit::usage, "run ", run.header.id,
                 " is no sweep; go on with it with: aisp bench run --resume ", line.run.resume);
  CommandLine first = parse_command_line(run.header.command);
  if (first.words.empty())
    base::refuse(base::Exit::usage, "run ", run.header.id,
                 " does not say which target it sweeps; start a new sweep");
  return first;
}

// Where the choice is the simulator this process starts again there, before sizes are chosen: the
// full ones would take hours.
void settle_device(const CommandLine& line, const Target& target) {
  RunHeader header;
  header.plan = {
      {.entry = target.id(), .target = target.id(), .variant = "", .dims = {}, .rungs = {}}};
  require_device(header, line.run.device);
}

std::optional<Ceilings> ceilings_for(const RunFile& run) {
  if (!run.device) return std::nullopt;
  const std::string& hardware = run.device->hardware;  // "h200-simulated"
  if (run.device->simulated) return datasheet(hardware.substr(0, hardware.find('-')));
  return load_ceilings(ceilings_path(hardware, run.device->uuid));
}

void write_files(const std::filesystem::path& folder, const SweepResult& sweep,
                 const std::string& text) {
  const char* way_out = "choose another folder with --out DIR";
  replace_file(folder / "sweep.txt", text, way_out);
  replace_file(folder / "sweep.csv", as_csv(sweep_numbers(sweep)), way_out);
  replace_file(folder / "sweep.svg", sweep_svg(sweep), way_out);
  if (sweep.axes.size() > 1) replace_file(folder / "heat.svg", heat_svg(sweep), way_out);
}

std::string last_sweep_line(const Session& session, bool finished, int exit) {
  const std::string folder = session.folder().string();
  return fmt::format(
      "{}: {}; {}{}", ending_of(static_cast<base::Exit>(exit)), tally(session.result()), folder,
      finished ? "/sweep.{txt,csv,svg}" : "; go on with: aisp sweep --resume " + folder);
}

}  // namespace

int sweep_command(const CommandLine& line) {
  if (line.words.empty() == line.run.resume.empty())
    base::refuse(base::Exit::usage,
                 "sweep takes one target, such as ch10:flash_attention, or "
                 "--resume and a run");
  if (!line.run.resume.empty() && !line.sweep.axes.empty())
    base::refuse(base::Exit::usage,
                 "--resume goes on with the axes of that sweep; leave --axis out");
  const CommandLine asked = original(line);
  SweepOptions options = asked.sweep;
  options.target = asked.words.front();
  if (line.run.resume.empty()) {
    parse_axes(options.axes);  // what is wrong with them is known without a device
    settle_device(line, target_of(options));
  }
  Progress progress(stderr_is_terminal());
  const auto plan = [&] { return plan_sweep(options, takes_quick_sizes(asked.run)); };
  const RunOptions run = line.run.resume.empty()
                             ? options_of(plan(), line.run, /*with_launch=*/!on_simulator())
                             : line.run;
  Session session(run, line.as_typed, progress);
  const bool finished = session.run();
  int exit = finished ? exit_of_rows(session.result()) : static_cast<int>(base::Exit::interrupted);
  exit = session.finish(exit, last_sweep_line(session, finished, exit));

  const SweepResult sweep = sweep_result(plan(), session.result(), ceilings_for(session.result()));
  const std::string text = as_text(sweep_table(sweep)) + simulation_note(session.result()) +
                           sweep_notes(sweep) + cliff_notes(sweep);
  std::fputs(text.c_str(), stdout);
  const Table overlaps = overlap_table(session.result());
  if (!overlaps.rows.empty()) std::printf("\n%s", as_text(overlaps).c_str());
  std::printf("%s%s\n", trace_notes(session.result(), session.folder(), line.verbose).c_str(),
              last_sweep_line(session, finished, exit).c_str());
  write_files(session.folder(), sweep, text);  // last: a file that cannot be written costs no table
  return exit;
}

}  // namespace aisp::lab
