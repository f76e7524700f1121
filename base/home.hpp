// Where aisp keeps what it has measured between runs, and how names become file names there.
#pragma once

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/refuse.hpp"

namespace aisp::base {

// An empty variable is as good as none.
inline const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// $AISP_HOME, else $XDG_CACHE_HOME/aisp, else ~/.cache/aisp. Refuses (Exit::environment) where
// none of them is set.
inline std::filesystem::path home() {
  if (const char* home = environment("AISP_HOME")) return home;
  // The XDG specification says that a relative path is to be ignored.
  if (const char* cache = environment("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "aisp";
  if (const char* home = environment("HOME"))
    return std::filesystem::path(home) / ".cache" / "aisp";
  refuse(Exit::environment,
         "no place for aisp's own files: HOME is not set; set AISP_HOME to a folder");
}

// The identity of a device becomes part of a file name and must not leave its folder.
inline std::string file_word(std::string word) {
  for (char& c : word)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  return word;
}

}  // namespace aisp::base
