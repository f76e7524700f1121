#include "app/draw/sync_options.hpp"

#include <cstdlib>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::app {
namespace {

using base::Exit;
using base::refuse;

const std::string command = "draw sync";

template <class Value>
Value named(const std::string& option, const std::string& word) {
  if (const auto value = lab::value_named<Value>(word)) return *value;
  refuse(Exit::usage, command, " ", option, " is one of ",
         base::join(lab::all_names<Value>(), ", "), ", not '", word, "'");
}

// A path, as a shell starts it; a target never begins like that.
bool names_program(const std::string& word) {
  return word.starts_with("./") || word.starts_with("../") || word.starts_with("/");
}

void take_option(const std::vector<std::string>& words, std::size_t& at, SyncOptions& options) {
  const std::string& option = words[at];
  if (option == "--kernel") {
    options.kernel = lab::value_behind(command, words, at);
  } else if (option == "--format") {
    options.format = named<DrawingFormat>(option, lab::value_behind(command, words, at));
  } else if (option == "--out") {
    options.out = lab::value_behind(command, words, at);
  } else if (option == "--order") {
    options.schedule.order =
        named<lab::ScheduleOrder>(option, lab::value_behind(command, words, at));
  } else if (option == "--seed") {
    const std::string& word = lab::value_behind(command, words, at);
    const auto seed = base::parse_integer(word);
    if (!seed || *seed < 0)
      refuse(Exit::usage, command, " --seed is a whole number from 0 on, not '", word, "'");
    options.schedule.seed = static_cast<std::uint64_t>(*seed);
  } else if (option == "--time-limit") {
    const std::string& word = lab::value_behind(command, words, at);
    options.time_limit = std::strtod(word.c_str(), nullptr);
    if (!(options.time_limit > 0 && options.time_limit <= 1e8))
      refuse(Exit::usage, command, " --time-limit is a number of seconds, not '", word, "'");
  } else {
    std::vector<std::string> known = lab::rung_options();
    known.insert(known.end(),
                 {"--kernel", "--format", "--out", "--order", "--seed", "--time-limit"});
    lab::refuse_option(command, option, known);
  }
}

void take_device(SyncOptions& options) {
  if (options.device.kind == lab::DeviceKind::gpu)
    refuse(Exit::usage, command,
           " looks on while the simulator runs the kernel; --device is sim or sim:NAME, not gpu");
  options.schedule.device = options.device.simulated;
  if (options.device.simulated.empty()) return;
  if (const std::string why = lab::problem_with_device(options.device.simulated); !why.empty())
    refuse(Exit::usage, "--device: ", why);
}

}  // namespace

SyncOptions read_sync_options(const std::vector<std::string>& words) {
  SyncOptions options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const bool mark = words[at] == "--";
    if (mark || (options.target.empty() && names_program(words[at]))) {
      options.program.assign(words.begin() + static_cast<long>(at) + (mark ? 1 : 0), words.end());
      break;
    }
    if (!lab::take_rung_word(command, words, at, options)) take_option(words, at, options);
  }
  if (options.program.empty() == options.target.empty())
    refuse(Exit::usage, command, " needs a rung or a program",
           options.program.empty() ? "" : ", not both",
           ": aisp draw sync ch10:matmul/ping_pong, or aisp draw sync ./program");
  if (!options.program.empty() &&
      (!options.variant.empty() || !options.size.empty() || options.full))
    refuse(Exit::usage, command, " --size and --variant are of a target; a program has its own");
  if (!options.target.empty() && options.rung.empty())
    refuse(Exit::usage, command, " draws one rung: ", options.target,
           "/RUNG; 'aisp bench list-targets' shows them");
  take_device(options);
  return options;
}

}  // namespace aisp::app
