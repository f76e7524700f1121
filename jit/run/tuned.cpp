#include "jit/run/tuned.hpp"

#include <cstdlib>
#include <sstream>

#include "base/file.hpp"
#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/cache/folder.hpp"
#include "tile/device/gemm/tuned_device.hpp"

namespace aisp::jit {
namespace {

constexpr const char* head = "aisp-tuned-programs 1";

std::filesystem::path path_of_device() {
  const tile::device::TunedDevice device = tile::device::tuned_device();
  return base::home() / "tuned" /
         base::say("programs-", base::file_word(device.name), '-', device.multiprocessors, '-',
                   device.driver, ".txt");
}

// "tried=8" as a name and a number.
bool number_of(const std::string& word, std::string& name, double& number) {
  const auto at = word.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == word.size()) return false;
  name = word.substr(0, at);
  char* end = nullptr;
  number = std::strtod(word.c_str() + at + 1, &end);
  return *end == '\0' && number >= 0;
}

std::optional<TunedProgram> entry_of(std::istringstream& words) {
  TunedProgram entry;
  std::string word, name;
  if (!(words >> word) || !word.starts_with("program=")) return std::nullopt;
  entry.program = word.substr(8);
  while (words >> word) {
    double number = 0;
    if (!number_of(word, name, number)) return std::nullopt;
    if (name == "tried")
      entry.tried = static_cast<int>(number);
    else if (name == "of")
      entry.of = static_cast<int>(number);
    else if (name == "us")
      entry.microseconds = number;
    else
      entry.choices[name] = static_cast<std::int64_t>(number);
  }
  return entry.tried < 1 || entry.of < entry.tried ? std::nullopt : std::optional(entry);
}

std::string line_of(const std::string& key, const TunedProgram& entry) {
  std::string line =
      base::say(key, " program=", base::file_word(entry.program), " tried=", entry.tried,
                " of=", entry.of, " us=", entry.microseconds);
  for (const auto& [name, value] : entry.choices) line += base::say(" ", name, "=", value);
  return line + "\n";
}

}  // namespace

TunedFile::TunedFile(std::filesystem::path path)
    : path_(path.empty() ? path_of_device() : std::move(path)) {
  read();
}

void TunedFile::read() {
  entries_.clear();
  const base::FileText read = base::read_file(path_);
  if (!read.problem.empty() && !read.missing)
    base::refuse(base::Exit::environment, "cannot read ", path_.string(), ": ", read.problem,
                 "; remove it, or set AISP_HOME to another folder");
  std::istringstream file(read.text);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string key;
    bool good = number > 1 || line == head;
    if (number > 1) {
      words >> key;
      const auto entry = entry_of(words);
      good =
          key.size() == 64 && entry.has_value() && !file.eof();  // a line that was cut has no end
      if (good) entries_[key] = *entry;
    }
    if (!good)
      base::refuse(base::Exit::environment, path_.string(), ":", number, ": ",
                   number == 1 ? base::say("'", head, "' belongs where '", line, "' stands")
                               : std::string("is no line of a tuned program"),
                   "; remove the line or the file");
  }
}

std::optional<TunedProgram> TunedFile::find(const std::string& key) const {
  const auto at = entries_.find(key);
  return at == entries_.end() ? std::nullopt : std::optional(at->second);
}

void TunedFile::keep(const std::string& key, const TunedProgram& entry) {
  const CacheFolder folder(path_.parent_path());
  std::string problem = folder.problem();
  if (problem.empty()) {
    const std::string name = path_.filename().string();
    const Descriptor lock = folder.lock(name + ".lock", 10);
    read();
    entries_[key] = entry;
    std::string text = base::say(head, "\n");
    for (const auto& [other, one] : entries_) text += line_of(other, one);
    problem = folder.write(name, text);
  }
  if (!problem.empty())
    base::refuse(base::Exit::environment, "cannot keep what was tuned: ", problem,
                 "; set AISP_HOME to another folder");
}

}  // namespace aisp::jit
