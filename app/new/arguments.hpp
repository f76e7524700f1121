// What `aisp new project` and `aisp new target` share: their words, the folder they make, and what
// they say about it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/new/skeleton.hpp"

namespace aisp::app {

inline constexpr const char* what_it_computes =
    "Until you change it, it computes z = a x + y: state your problem in case.cpp, then write the "
    "rungs.";

struct Given {
  std::string word;    // what to make
  std::string option;  // value of the one option, or ""
};

// One word and one option, in any order; `wanted` says what the word is.
Given read_given(const std::string& command, const std::vector<std::string>& words,
                 const std::string& option, const std::string& wanted);

// "kernels/mine/" -> "/where/it/is/kernels/mine"
std::filesystem::path whole_path(const std::string& text);

// Refuses what is there and not an empty folder, and a place whose parent is missing.
void require_free_folder(const std::filesystem::path& folder, const std::string& as_typed);

// The paths of the files, with commas.
std::string list_of(const std::vector<NewFile>& files);

}  // namespace aisp::app
