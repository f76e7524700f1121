// What is in the cache's folder, whether it is sound, and how it is made smaller.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "jit/cache/folder.hpp"

namespace aisp::jit {

struct KeptEntry {
  std::string key;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;               // nanoseconds since 1970
  std::vector<std::string> kernels{};  // their names
  std::string problem{};               // "" where it would be taken
  bool put_aside = false;              // <key>.bad: found damaged before
};

// The most recently used first. Refuses (Exit::environment) a folder that others may write; one
// that is not there has no entries.
std::vector<KeptEntry> kept_entries(const std::filesystem::path& folder);

struct Cleared {
  int files = 0;
  std::uint64_t bytes = 0;
};

// Removes what the cache has put there, and nothing else.
Cleared clear_cache(const std::filesystem::path& folder);

// Removes entries, least recently used first and never `newest`, until `most_bytes` are left, and
// temporary files of processes that are long gone.
void make_room(const CacheFolder& folder, std::uint64_t most_bytes, const std::string& newest);

}  // namespace aisp::jit
