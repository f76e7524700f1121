// How the program says no: one line that names the rule, the numbers and the way out, and the
// exit code that goes with it. Everything that can be the user's fault ends in a Refusal.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace aisp::base {

// The exit codes of `aisp`, documented in docs/cli.md.
enum class Exit {
  good = 0,
  regression = 1,
  usage = 2,
  wrong = 3,
  environment = 4,
  interrupted = 130,
};

class Refusal : public std::runtime_error {
 public:
  Refusal(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}
  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

template <class... Parts>
std::string say(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

template <class... Parts>
[[noreturn]] void refuse(Exit exit, const Parts&... parts) {
  throw Refusal(exit, say(parts...));
}

}  // namespace aisp::base
