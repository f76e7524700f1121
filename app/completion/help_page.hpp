// docs/cli.md as values: its commands, their options, and what may stand behind each. The page
// keeps the shape this reads it by (tests/architecture/cli_doc.py).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aisp::app {

// What may stand at a place of the command line. Nothing set: a number, a name, whatever.
struct Takes {
  std::vector<std::string> words{};  // literal ones, such as events and graph
  bool files = false, folders = false, targets = false, chapters = false, commands = false;
};

struct HelpOption {
  std::string name;   // "--timer"
  std::string value;  // "KIND", or "" for a flag
  std::string text;   // what it does, in a few words
  Takes takes{};
};

struct HelpCommand {
  std::string name;     // one word or two
  std::string summary;  // a few words of the line below its heading
  std::vector<HelpOption> options{};
  Takes places{};             // of its arguments
  bool runs_program = false;  // what follows is somebody else's command line
};

struct HelpPage {
  std::vector<HelpCommand> commands;
  std::vector<std::string> options;  // of the program itself: --version
};

HelpPage read_help_page(std::string_view page);

// What a place of the usage lines takes: "events|graph", "DIR", "chNN[:name][,…]|all".
Takes takes_of(std::string_view usage);

}  // namespace aisp::app
