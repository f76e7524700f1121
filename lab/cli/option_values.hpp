// Values that options of several commands take. A problem is "" or the line that says what is
// wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "base/text.hpp"
#include "lab/case/names.hpp"

namespace aisp::lab {

// An option that takes the names of an enumeration; `value` is one, or an optional one.
template <Named E, class Value>
void add_named_option(CLI::App& app, const std::string& option, Value& value) {
  app.add_option_function<std::string>(
         option, [&value](const std::string& text) { value = *value_named<E>(text); })
      ->check([](const std::string& text) {
        if (value_named<E>(text)) return std::string();
        const auto names = all_names<E>();
        const auto near = base::nearest(text, names);
        return "'" + text + "' is none of " + base::join(names, ", ") +
               (near ? "; did you mean " + *near + "?" : "");
      });
}

inline std::string problem_with_seed(const std::string& text) {
  const bool good = base::parse_integer(text).value_or(-1) >= 0;
  return good ? "" : "'" + text + "' is no whole number from 0 on";
}

inline std::string problem_with_seconds(const std::string& text) {
  const double seconds = std::strtod(text.c_str(), nullptr);
  const bool good = seconds > 0 && seconds <= 1e8;  // three years, and no nan
  return good ? "" : "'" + text + "' is not between 0 and 1e8 seconds";
}

}  // namespace aisp::lab
