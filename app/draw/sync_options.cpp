#include "app/draw/sync_options.hpp"

#include <algorithm>
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

// The options that a drawing of a program has. Behind a program these are taken, and all other
// words are the program's: --size and --variant are of a target.
const std::vector<std::string> of_drawing{"--kernel", "--format",     "--out",   "--order",
                                          "--seed",   "--time-limit", "--device"};

bool is_of_drawing(const std::string& word) {
  return std::find(of_drawing.begin(), of_drawing.end(), word) != of_drawing.end();
}

std::vector<std::string> all_options() {
  std::vector<std::string> known = lab::rung_options();
  for (const auto& option : of_drawing)
    if (std::find(known.begin(), known.end(), option) == known.end()) known.push_back(option);
  return known;
}

// A path, as a shell starts it; a target never begins like that.
bool names_program(const std::string& word) {
  return word.starts_with("./") || word.starts_with("../") || word.starts_with("/");
}

// "build/ring" reads like a target and its rung.
void refuse_program_without_path(const std::string& word) {
  std::error_code none;
  if (word.starts_with("-") || word.find(':') != std::string::npos ||
      !std::filesystem::is_regular_file(word, none))
    return;
  refuse(Exit::usage, "'", word, "' is a file and no target; write the program as aisp ", command,
         " ./", word);
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
    lab::refuse_option(command, option, all_options());
  }
}

// An option at words[at] with its value, or the target.
void take_word(std::vector<std::string>& words, std::size_t& at, SyncOptions& options) {
  lab::split_value(words, at, all_options());
  if (!lab::take_rung_word(command, words, at, options)) take_option(words, at, options);
}

// A word behind the program: an option of the drawing, or an argument of the program.
void take_word_behind_program(std::vector<std::string>& words, std::size_t& at,
                              SyncOptions& options) {
  lab::split_value(words, at, of_drawing);
  if (is_of_drawing(words[at]))
    take_word(words, at, options);
  else
    options.program.push_back(words[at]);
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

SyncOptions read_sync_options(const std::vector<std::string>& given) {
  std::vector<std::string> words = given;
  SyncOptions options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == "--") {  // the rest is the program's
      options.program.insert(options.program.end(), words.begin() + static_cast<long>(at) + 1,
                             words.end());
      break;
    }
    if (!options.program.empty()) {
      take_word_behind_program(words, at, options);
    } else if (options.target.empty() && names_program(words[at])) {
      options.program = {words[at]};
    } else {
      if (options.target.empty()) refuse_program_without_path(words[at]);
      take_word(words, at, options);
    }
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
