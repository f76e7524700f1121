// One target, and of it one rung or all: the words that `aisp inspect` and `aisp tune program`
// have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/device/simulator.hpp"
#include "lab/record/records.hpp"

namespace aisp::lab {

struct RungChoice {
  std::string target, rung;  // no rung: all of the ladder
  std::string variant;       // "": the target's first that the rung takes
  std::vector<std::string> size;
  bool quick = false, full = false;  // neither: as the command prefers
  std::vector<std::string> load;
  DeviceChoice device;
};

// --size, --quick, --full, --variant, --load, --device with their values, and the target itself:
// true, and `at` on the last word that was taken. False for an option that is not one of these.
// Refuses (Exit::usage) what is none, in the name of `command`.
bool take_rung_word(std::string_view command, const std::vector<std::string>& words,
                    std::size_t& at, RungChoice& choice);
const std::vector<std::string>& rung_options();  // their names
// The word behind words[at], which is passed over.
const std::string& value_behind(std::string_view command, const std::vector<std::string>& words,
                                std::size_t& at);
// Makes two words of "--out=FILE" at words[at] where `known` has the option.
void split_value(std::vector<std::string>& words, std::size_t at,
                 const std::vector<std::string>& known);
// The one way in which every command refuses an option: with the nearest of those it knows.
[[noreturn]] void refuse_option(std::string_view command, const std::string& word,
                                const std::vector<std::string>& known);

// Refuses (Exit::usage) what is not one target, and a rung or variant that it does not have.
const Target& target_of(std::string_view command, const RungChoice& choice);
// The sizes of the target that come into question, each with the rungs that take it.
RunHeader plan_of(std::string_view command, const RungChoice& choice);
const EntryPlan* first_with(const RunHeader& header, const std::string& rung);

}  // namespace aisp::lab
