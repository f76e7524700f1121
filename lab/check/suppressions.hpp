// Hazards that somebody has looked at and accepts: a file of lines
//   rule kernel-glob [file:line-glob or part of a PTX line]  # reason
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/check/hazard.hpp"

namespace aisp::lab {

struct Suppression {
  std::string rule;    // a rule's name, or *
  std::string kernel;  // * and ? as in a shell; "-" is the host
  std::string place;   // of one of the places; "": any
  std::string reason;
  int line = 0;  // in its file
  std::string text() const;
};

// Refuses (Exit::usage) with `name`, line number and cause.
std::vector<Suppression> parse_suppressions(const std::string& text, const std::string& name);

bool covers(const Suppression& suppression, const Hazard& hazard);

// The first that covers it, or null.
const Suppression* covering(const std::vector<Suppression>& suppressions, const Hazard& hazard);

// `*` is any text, `?` any one character; everything else is itself, brackets too.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace aisp::lab
