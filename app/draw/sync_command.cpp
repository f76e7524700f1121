#include "app/draw/sync_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/draw/sync_options.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/check/program.hpp"
#include "lab/check/report.hpp"
#include "lab/draw/make_sync_graph.hpp"
#include "lab/draw/sync_picture.hpp"
#include "lab/module/load.hpp"
#include "lab/profile/demangle.hpp"
#include "lab/record/file.hpp"
#include "lab/run/estimate.hpp"
#include "lab/run/plan/rung_choice.hpp"
#include "lab/run/process/job.hpp"

namespace aisp::app {
namespace {

using base::Exit;
using base::refuse;

// What is asked for, run once before the recorder's eyes.
class Recorded {
 public:
  explicit Recorded(const SyncOptions& options) : options_(options), input_(false) {
    lab::WatchedProgram program{
        .words = options.program, .environment = {}, .timeout = options.time_limit};
    if (of_rung()) program.words = worker_words();
    const auto folder = scratch_.path() / "records";
    std::filesystem::create_directory(folder);
    const bool live = !of_rung() && options.out.empty();
    ended_ = lab::run_program(program, options.schedule, "AISP_SIM_SYNC", folder, live, input_,
                              interrupt_);
    if (!ended_.run.interrupted) records_ = lab::read_sync_records(folder);
  }

  bool interrupted() const { return ended_.run.interrupted; }
  bool failed() const { return ended_.run.failed(); }
  // Of a program whose picture goes into a file; of a rung it is what its worker sent.
  std::string output() const { return of_rung() ? "" : ended_.output; }
  std::string end() const { return lab::end_of(ended_.run, options_.time_limit); }
  const std::vector<lab::SyncRecord>& kernels() const { return records_.kernels; }

  const lab::EntryPlan& entry() const { return entry_; }  // of a rung
  std::string subject() const {
    return of_rung() ? options_.target + "/" + options_.rung : options_.program[0];
  }

  [[noreturn]] void refuse_nothing() const {
    if (of_rung()) {
      const std::string why = lab::last_words(ended_.output);
      refuse(
          Exit::environment, subject(), " launched no kernel on the simulator",
          why.empty() ? "" : ": ", why,
          why.find("needs sm_") != std::string::npos ? "; --device sim:NAME chooses another" : "");
    }
    if (records_.files == 0)
      refuse(Exit::environment, "no CUDA call of ", subject(),
             " reached the simulator, it ended with ", end(),
             "; a program to draw is linked with nvcc's -cudart shared");
    refuse(Exit::environment, subject(), " launched no kernel, it ended with ", end());
  }

 private:
  bool of_rung() const { return options_.program.empty(); }

  // This program again as a worker that runs the rung for somebody who looks on.
  std::vector<std::string> worker_words() {
    lab::load_modules(options_.load);
    lab::target_of("draw sync", options_);
    const lab::RunHeader header = lab::plan_of("draw sync", options_);
    const lab::EntryPlan* entry = lab::first_with(header, options_.rung);
    if (entry == nullptr)
      refuse(Exit::usage, subject(), " takes none of the sizes; choose one with --size");
    entry_ = *entry;
    lab::Job job{.entry = *entry, .rungs = {options_.rung}};
    job.modules = header.modules;
    job.counters = true;
    const auto file = scratch_.path() / "job.json";
    lab::replace_file(file, to_json(job).dump() + "\n", "TMPDIR says where");
    std::error_code none;
    return {std::filesystem::read_symlink("/proc/self/exe", none).string(), "worker", "--job",
            file.string()};
  }

  const SyncOptions& options_;
  lab::ProgramInput input_;
  lab::Interrupt interrupt_;
  lab::ScratchFolder scratch_;
  lab::ProgramRun ended_;
  lab::SyncRecords records_;
  lab::EntryPlan entry_;
};

// The recorder makes a rung slower than a plain run does, so the small size is recorded first.
void print_estimate(const SyncOptions& options) {
  SyncOptions small = options;
  small.full = false;
  const auto start = std::chrono::steady_clock::now();
  const Recorded recorded(small);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (recorded.interrupted() || recorded.kernels().empty()) return;
  lab::RungChoice full = options;
  const lab::EntryPlan planned = *lab::first_with(lab::plan_of("draw sync", full), options.rung);
  const double larger = lab::work_of_entry(planned) / lab::work_of_entry(recorded.entry());
  std::fprintf(stderr,
               "aisp: estimate: at most about %s; the small size took %.1f s on this machine, and "
               "%s has %.3g times its work\n",
               lab::rough_duration(larger * seconds).c_str(), seconds, planned.entry.c_str(),
               larger);
}

std::string name_of(const lab::SyncRecord& record) {
  return lab::short_name(lab::readable(record.kernel));
}

// "1 fill, 2 gemm (drawn)"
std::string listed(const std::vector<lab::SyncRecord>& kernels, std::size_t drawn) {
  constexpr std::size_t most = 12;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (i < most || i == drawn)
      parts.push_back(base::say(i + 1, " ", name_of(kernels[i]), i == drawn ? " (drawn)" : ""));
  const std::size_t more = kernels.size() - parts.size();
  return base::join(parts, ", ") + (more > 0 ? base::say(" and ", more, " more") : "");
}

// What the program printed is kept beside the picture: the terminal shows one line.
void write_picture(const SyncOptions& options, const std::string& text, const std::string& subject,
                   const std::string& output) {
  const char* way_out = "choose another --out";
  lab::replace_file(options.out, text, way_out);
  std::string kept;
  if (!output.empty()) {
    const std::string log = options.out.string() + ".log";
    lab::replace_file(log, output, way_out);
    kept = base::say("; its output of ", std::count(output.begin(), output.end(), '\n'),
                     " lines is in ", log);
  }
  std::fprintf(stderr, "%s: the synchronisation of %s%s\n", options.out.c_str(), subject.c_str(),
               kept.c_str());
}

std::size_t chosen(const std::vector<lab::SyncRecord>& kernels, const std::string& wanted) {
  const auto nothing = kernels.size();
  if (wanted.empty())
    return static_cast<std::size_t>(
        std::max_element(kernels.begin(), kernels.end(),
                         [](const auto& a, const auto& b) { return a.events() < b.events(); }) -
        kernels.begin());
  if (const auto number = base::parse_integer(wanted)) {
    if (*number >= 1 && *number <= static_cast<std::int64_t>(nothing))
      return static_cast<std::size_t>(*number - 1);
  } else {
    for (std::size_t i = 0; i < nothing; ++i)
      if (lab::readable(kernels[i].kernel).find(wanted) != std::string::npos) return i;
  }
  refuse(Exit::usage, "draw sync --kernel ", wanted,
         " is none of them: ", listed(kernels, nothing));
}

}  // namespace

int draw_sync_command(const std::vector<std::string>& words, std::ostream& out) {
  const SyncOptions options = read_sync_options(words);
  if (options.out.empty() && isatty(STDOUT_FILENO) != 0)
    refuse(Exit::usage, "draw sync writes a picture, which a terminal does not show; give --out ",
           options.format == DrawingFormat::dot ? "graph.dot" : "graph.svg", " or redirect it");
  if (options.full && options.program.empty()) print_estimate(options);
  const Recorded recorded(options);
  if (recorded.interrupted()) return static_cast<int>(Exit::interrupted);
  const auto& kernels = recorded.kernels();
  if (kernels.empty()) recorded.refuse_nothing();
  const std::size_t drawn = chosen(kernels, options.kernel);
  const lab::SyncRecord& record = kernels[drawn];
  if (record.events() == 0)
    refuse(Exit::environment, "kernel ", name_of(record), " of ", recorded.subject(),
           " has nothing to draw: its warps meet at no barrier",
           kernels.size() > 1 ? "; there are " + listed(kernels, drawn) : "");
  const lab::SyncGraph graph = lab::sync_graph_of(record);
  const std::string text =
      options.format == DrawingFormat::dot ? lab::to_dot(graph) : lab::to_svg(graph);
  if (options.out.empty())
    out << text << std::flush;
  else
    write_picture(options, text, name_of(record) + " in " + recorded.subject(), recorded.output());
  if (kernels.size() > 1)
    std::fprintf(stderr, "kernels: %s; --kernel chooses\n", listed(kernels, drawn).c_str());
  if (!recorded.failed() && !record.stopped)
    return static_cast<int>(out ? Exit::good : Exit::environment);
  std::fprintf(stderr, "%s ended with %s: the graph shows what it did until then\n",
               recorded.subject().c_str(),
               record.stopped ? "a fault of the kernel" : recorded.end().c_str());
  return static_cast<int>(Exit::wrong);
}

}  // namespace aisp::app
