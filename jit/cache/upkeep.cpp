#include "jit/cache/upkeep.hpp"

#include <algorithm>
#include <chrono>

#include "base/refuse.hpp"
#include "jit/build/resources.hpp"
#include "jit/cache/entry.hpp"

namespace aisp::jit {
namespace {

constexpr std::size_t digits = 64;
constexpr std::int64_t nanoseconds_of_an_hour = std::int64_t{3600} * 1000000000;

bool begins_with_key(const std::string& name) {
  return name.size() >= digits &&
         name.find_first_not_of("0123456789abcdef") == (name.size() == digits ? name.npos : digits);
}
bool is_entry(const std::string& name) { return begins_with_key(name) && name.size() == digits; }
bool is_bad(const std::string& name) {
  return begins_with_key(name) && name.substr(digits) == ".bad";
}
bool is_lock(const std::string& name) {
  return begins_with_key(name) && name.substr(digits) == ".lock";
}
bool is_temporary(const std::string& name) {
  return begins_with_key(name) && name.ends_with(".tmp");
}
bool is_ours(const std::string& name) {
  return is_entry(name) || is_bad(name) || is_lock(name) || is_temporary(name);
}

Sha256 key_named(const std::string& name) {
  Sha256 key{};
  for (std::size_t at = 0; at < key.size(); ++at)
    key[at] = static_cast<std::uint8_t>(std::stoi(name.substr(2 * at, 2), nullptr, 16));
  return key;
}

KeptEntry looked_at(const CacheFolder& folder, const FileFacts& facts) {
  KeptEntry entry{.key = facts.name.substr(0, digits),
                  .bytes = facts.bytes,
                  .used = facts.used,
                  .put_aside = is_bad(facts.name)};
  const ReadFile file = folder.read(facts.name);
  entry.problem =
      file.problem.empty() ? problem_with(file.bytes, key_named(facts.name)) : file.problem;
  if (entry.problem.empty())
    for (const auto& one : entry_points_in(entry_in(file.bytes).ptx))
      entry.kernels.push_back(one.name);
  return entry;
}

bool is_usable(const CacheFolder& folder) {
  if (folder.problem().empty()) return true;
  if (folder.missing()) return false;
  base::refuse(base::Exit::environment, "kernel cache: ", folder.problem(),
               "; remove it, or set AISP_HOME to another folder");
}

}  // namespace

std::vector<KeptEntry> kept_entries(const std::filesystem::path& path) {
  const CacheFolder folder(path, false);
  std::vector<KeptEntry> entries;
  if (!is_usable(folder)) return entries;
  for (const auto& facts : folder.files())
    if (is_entry(facts.name) || is_bad(facts.name)) entries.push_back(looked_at(folder, facts));
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.used > b.used; });
  return entries;
}

Cleared clear_cache(const std::filesystem::path& path) {
  const CacheFolder folder(path, false);
  Cleared cleared;
  if (!is_usable(folder)) return cleared;
  for (const auto& facts : folder.files()) {
    if (!is_ours(facts.name) || !folder.remove(facts.name)) continue;
    if (is_lock(facts.name)) continue;  // not worth a word
    ++cleared.files;
    cleared.bytes += facts.bytes;
  }
  return cleared;
}

void make_room(const CacheFolder& folder, std::uint64_t most_bytes, const std::string& newest) {
  const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
  auto files = folder.files();
  std::erase_if(files, [](const FileFacts& one) { return !is_ours(one.name); });
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.used < b.used; });
  std::uint64_t bytes = 0;
  for (const auto& one : files) bytes += one.bytes;
  for (const auto& one : files) {
    const bool left_behind = is_temporary(one.name) && now - one.used > nanoseconds_of_an_hour;
    const bool too_much = bytes > most_bytes && (is_entry(one.name) || is_bad(one.name));
    if (one.name == newest || !(left_behind || too_much) || !folder.remove(one.name)) continue;
    bytes -= one.bytes;
    // Whoever holds or awaits this lock looks into the folder again before it compiles.
    if (is_entry(one.name)) folder.remove(one.name + ".lock");
  }
}

}  // namespace aisp::jit
