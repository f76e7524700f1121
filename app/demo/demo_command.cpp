#include "app/demo/demo_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/progress.hpp"
#include "lab/device/simulator.hpp"
#include "lab/report/results.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/plan/rung_choice.hpp"
#include "lab/run/session.hpp"

namespace aisp::app {
namespace {

// Enough to show an effect that is worth showing; a file of 1 GiB takes its time.
constexpr int samples = 7, warm_ups = 1;

struct DemoOptions {
  std::string chapter;  // "": list them
  lab::RunOptions run;
};

std::vector<std::string> chapters_of(const std::vector<Demonstration>& demonstrations) {
  std::vector<std::string> chapters;
  for (const auto& one : demonstrations)
    if (std::find(chapters.begin(), chapters.end(), one.chapter) == chapters.end())
      chapters.push_back(one.chapter);
  return chapters;
}

const std::string& value_after(const std::vector<std::string>& words, std::size_t& at) {
  if (at + 1 == words.size())
    base::refuse(base::Exit::usage, "demo ", words[at], " needs a value after it");
  return words[++at];
}

DemoOptions read(const std::vector<std::string>& words) {
  const std::vector<std::string> known{"--quick", "--full", "--out", "--device"};
  DemoOptions options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--quick") {
      options.run.quick = true;
    } else if (word == "--full") {
      options.run.full = true;
    } else if (word == "--out") {
      options.run.out = value_after(words, at);
    } else if (word == "--device") {
      const std::string& text = value_after(words, at);
      const auto choice = lab::device_choice(text);
      if (!choice)
        base::refuse(base::Exit::usage, "--device is auto, gpu or sim, not '", text, "'");
      options.run.device = *choice;
    } else if (word.starts_with("-")) {
      lab::refuse_option("demo", word, known);
    } else if (!options.chapter.empty()) {
      base::refuse(base::Exit::usage, "demo takes one chapter, not '", options.chapter, "' and '",
                   word, "'");
    } else {
      options.chapter = word;
    }
  }
  if (options.run.quick && options.run.full) lab::refuse_quick_and_full();
  return options;
}

void require_known(const std::string& chapter, const std::vector<std::string>& chapters) {
  if (std::find(chapters.begin(), chapters.end(), chapter) != chapters.end()) return;
  const auto meant = base::nearest(chapter, chapters);
  base::refuse(base::Exit::usage, "no demonstrations for '", chapter, "'; ",
               meant ? "did you mean 'aisp demo " + *meant + "'? " : "", "there are some for ",
               base::join(chapters, ", "));
}

void list(const std::vector<Demonstration>& demonstrations, std::ostream& out) {
  for (const auto& chapter : chapters_of(demonstrations)) {
    out << "aisp demo " << chapter << "\n";
    for (const auto& one : demonstrations)
      if (one.chapter == chapter) out << "  " << one.title << " (" << one.target << ")\n";
  }
}

std::string last_line(const lab::Session& session, bool finished, int exit) {
  const std::string folder = session.folder().string();
  return fmt::format("{}: {}; {}", lab::ending_of(static_cast<base::Exit>(exit)),
                     lab::tally(session.result()), folder) +
         (finished ? "" : "; go on with: aisp bench run --resume " + folder);
}

}  // namespace

int demo_command(const std::vector<std::string>& words,
                 const std::vector<Demonstration>& demonstrations, std::ostream& out) {
  DemoOptions options = read(words);
  if (options.chapter.empty()) {
    list(demonstrations, out);
    return static_cast<int>(base::Exit::good);
  }
  require_known(options.chapter, chapters_of(demonstrations));
  std::vector<Demonstration> shown;
  std::vector<std::string> targets;
  for (const auto& one : demonstrations)
    if (one.chapter == options.chapter) {
      shown.push_back(one);
      targets.push_back(one.target);
    }
  options.run.targets = base::join(targets, ",");
  options.run.peers = name_of(lab::PeerChoice::none);
  if (!lab::on_simulator()) {
    options.run.iterations = samples;
    options.run.warmup = warm_ups;
  }

  lab::Progress progress(lab::stderr_is_terminal());
  std::vector<std::string> command{"demo"};
  command.insert(command.end(), words.begin(), words.end());
  // Before anything is printed: without a GPU this process starts again on the simulator.
  lab::Session session(options.run, command, progress);
  const bool finished = session.run();
  int exit =
      finished ? lab::exit_of_rows(session.result()) : static_cast<int>(base::Exit::interrupted);
  exit = session.finish(exit, last_line(session, finished, exit));
  print_demonstrations(session.result(), shown, out);
  out << lab::simulation_note(session.result()) << last_line(session, finished, exit) << "\n"
      << std::flush;
  return exit;
}

}  // namespace aisp::app
