// Another program run to its end, with a limit on its time.
#pragma once

#include <string>
#include <vector>

namespace aisp::peers {

struct Answer {
  std::string out, err;
  std::string failure;  // "" when it ended with exit code 0
};

// words[0] is looked up on PATH. Its standard input is empty.
Answer run_briefly(const std::vector<std::string>& words, double seconds);

// The last line of a text that is not empty.
std::string last_line(const std::string& text);

}  // namespace aisp::peers
