// Values that options of several commands take. A problem is "" or the line that says what is
// wrong.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace lab {

inline std::vector<std::string> schedule_orders() { return {"earliest", "latest", "random"}; }

inline std::string problem_with_seed(const std::string& text) {
  const bool good = base::parse_integer(text).value_or(-1) >= 0;
  return good ? "" : "'" + text + "' is no whole number from 0 on";
}

inline std::string problem_with_seconds(const std::string& text) {
  const double seconds = std::strtod(text.c_str(), nullptr);
  const bool good = seconds > 0 && seconds <= 1e8;  // three years, and no nan
  return good ? "" : "'" + text + "' is not between 0 and 1e8 seconds";
}

}  // namespace lab
