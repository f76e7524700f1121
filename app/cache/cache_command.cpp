#include "app/cache/cache_command.hpp"

#include <ctime>
#include <filesystem>
#include <map>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/cache/store.hpp"
#include "jit/cache/upkeep.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::app {
namespace {

using Folder = std::filesystem::path;

std::string date_of(std::int64_t nanoseconds) {
  const auto seconds = static_cast<std::time_t>(nanoseconds / 1000000000);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

std::string size_of(std::uint64_t bytes) {
  if (bytes < 1000) return base::say(bytes, " B");
  return base::with_prefix(static_cast<double>(bytes), "B");
}

std::string counted(std::size_t count, const char* one, const char* several) {
  return base::say(count, " ", count == 1 ? one : several);
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

base::Exit list(const Folder& folder, std::ostream& out) {
  std::uint64_t bytes = 0;
  const auto entries = jit::kept_entries(folder);
  for (const auto& one : entries) {
    const std::string what = one.put_aside          ? "put aside: " + one.problem
                             : !one.problem.empty() ? "damaged: " + one.problem
                                                    : base::join(one.kernels, ", ");
    out << one.key.substr(0, 12) << "  " << padded(size_of(one.bytes), 12) << "  "
        << date_of(one.used) << "  " << what << '\n';
    bytes += one.bytes;
  }
  out << counted(entries.size(), "kernel text", "kernel texts") << ", " << size_of(bytes) << ", in "
      << folder.string() << '\n';
  return base::Exit::good;
}

base::Exit verify(const Folder& folder, std::ostream& out) {
  std::size_t good = 0, damaged = 0, put_aside = 0;
  for (const auto& one : jit::kept_entries(folder)) {
    if (one.put_aside) {
      ++put_aside;
    } else if (one.problem.empty()) {
      ++good;
    } else {
      ++damaged;
      out << one.key << ' ' << one.problem << '\n';
    }
  }
  out << good << " good, " << damaged << " damaged, " << put_aside << " put aside earlier, in "
      << folder.string() << '\n';
  return damaged == 0 ? base::Exit::good : base::Exit::wrong;
}

base::Exit clear(const Folder& folder, std::ostream& out) {
  const auto cleared = jit::clear_cache(folder);
  out << "removed " << counted(static_cast<std::size_t>(cleared.files), "file", "files") << ", "
      << size_of(cleared.bytes) << ", from " << folder.string() << '\n';
  return base::Exit::good;
}

}  // namespace

int cache_command(const std::vector<std::string>& words, std::ostream& out) {
  const std::map<std::string, base::Exit (*)(const Folder&, std::ostream&)> actions{
      {"clear", clear}, {"list", list}, {"verify", verify}};
  for (const auto& word : words)
    if (word.starts_with("-")) lab::refuse_option("cache", word, {});
  if (words.size() != 1) base::refuse(base::Exit::usage, "cache needs one of list, verify, clear");
  const auto action = actions.find(words[0]);
  if (action == actions.end()) {
    const auto meant = base::nearest(words[0], {"list", "verify", "clear"});
    base::refuse(base::Exit::usage, "cache has no '", words[0], "'; ",
                 meant ? "did you mean " + *meant + "? " : "", "there are list, verify, clear");
  }
  const base::Exit exit = action->second(jit::store_folder(), out);
  out << std::flush;
  return static_cast<int>(out ? exit : base::Exit::environment);
}

}  // namespace aisp::app
