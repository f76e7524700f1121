#include "lab/check/suppressions.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/check/rules.hpp"

namespace aisp::lab {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// Takes the first word, or what stands in quotes, off the front: kernels' names have spaces.
std::string take_word(std::string& text) {
  const bool quoted = text.starts_with('"');
  const auto end = quoted ? text.find('"', 1) : text.find_first_of(" \t");
  if (quoted && end == std::string::npos) return "";
  const std::string word = quoted ? text.substr(1, end - 1) : text.substr(0, end);
  text = end == std::string::npos ? "" : trimmed(std::string_view(text).substr(end + quoted));
  return word;
}

// "" or what is wrong with it.
std::string problem_with_rule(const std::string& rule) {
  if (rule == "*") return "";
  std::vector<std::string> names;
  for (const auto& known : base::hazard_rules) names.emplace_back(known.name);
  if (std::find(names.begin(), names.end(), rule) != names.end()) return "";
  const auto near = base::nearest(rule, names);
  return base::say("there is no rule '", rule, "'",
                   near ? "; did you mean " + *near + "?" : "; 'aisp check --rules' lists them");
}

// A path may be given from any folder of it on; where it was inlined counts, too.
bool file_matches(const std::string& pattern, const HazardPlace& place) {
  const auto matches = [&](const std::string& file, int line) {
    const std::string where = base::say(file, ":", line);
    return glob_matches(pattern, where) || glob_matches("*/" + pattern, where);
  };
  if (place.file.empty()) return false;
  return matches(place.file, place.line) ||
         std::any_of(place.inlined.begin(), place.inlined.end(),
                     [&](const auto& call) { return matches(call.first, call.second); });
}

// The readable name, whole or without result, template arguments and parameters.
bool kernel_matches(const std::string& pattern, const std::string& kernel) {
  if (kernel.empty()) return pattern == "*" || pattern == "-";
  std::string_view plain = kernel;
  if (plain.starts_with("void ")) plain.remove_prefix(5);
  return glob_matches(pattern, kernel) ||
         glob_matches(pattern, plain.substr(0, plain.find_first_of("<(")));
}

}  // namespace

std::string Suppression::text() const {
  const bool spaces = kernel.find(' ') != std::string::npos;
  return rule + " " + (spaces ? "\"" + kernel + "\"" : kernel) + (place.empty() ? "" : " " + place);
}

bool glob_matches(std::string_view pattern, std::string_view text) {
  // Greedy with one step back: the last star takes one character more.
  std::size_t at = 0, seen = 0, star = std::string_view::npos, resume = 0;
  while (seen < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      resume = seen;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[seen])) {
      ++at;
      ++seen;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      seen = ++resume;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

std::vector<Suppression> parse_suppressions(const std::string& text, const std::string& name) {
  std::vector<Suppression> all;
  int number = 0;
  for (const auto& line : base::split(text, '\n')) {
    ++number;
    const auto refuse = [&](const std::string& why) {
      base::refuse(base::Exit::usage, name, ":", number, ": ", why,
                   "; a line is 'rule kernel [file:line or PTX]  # reason'");
    };
    const auto mark = line.find('#');
    std::string rest = trimmed(line.substr(0, mark));
    if (rest.empty()) continue;  // a comment
    Suppression one{.reason = mark == std::string::npos ? "" : trimmed(line.substr(mark + 1)),
                    .line = number};
    one.rule = take_word(rest);
    if (const auto why = problem_with_rule(one.rule); !why.empty()) refuse(why);
    one.kernel = take_word(rest);
    if (one.kernel.empty()) refuse("no kernel; * is any, - the host");
    one.place = rest;
    if (one.reason.empty()) refuse("no reason; say after # why it is accepted");
    all.push_back(one);
  }
  return all;
}

bool covers(const Suppression& suppression, const Hazard& hazard) {
  if (suppression.rule != "*" && suppression.rule != hazard.rule) return false;
  if (!kernel_matches(suppression.kernel, hazard.kernel)) return false;
  return suppression.place.empty() ||
         std::any_of(hazard.places.begin(), hazard.places.end(), [&](const HazardPlace& place) {
           return file_matches(suppression.place, place) ||
                  place.ptx.find(suppression.place) != std::string::npos;
         });
}

const Suppression* covering(const std::vector<Suppression>& suppressions, const Hazard& hazard) {
  for (const auto& one : suppressions)
    if (covers(one, hazard)) return &one;
  return nullptr;
}

}  // namespace aisp::lab
