// What tuning found out for programs on one device and driver, in a text file beside that of the
// library's products. A line for each variant, found by what was compiled for the rule:
//   <sha-256 of the text> program=softmax tried=8 of=20 us=11.5 threads_per_row=128
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace aisp::jit {

struct TunedProgram {
  std::string program;
  int tried = 0, of = 0;    // candidates; fewer than all: the time was up, and it goes on there
  double microseconds = 0;  // median of what is chosen
  std::map<std::string, std::int64_t> choices;  // empty: the rule's were as good
};

class TunedFile {
 public:
  // $AISP_HOME/tuned/programs-<device>-<multiprocessors>-<driver>.txt of the current device where
  // `path` is empty. Refuses (Exit::environment) a file that is not one, with its line.
  explicit TunedFile(std::filesystem::path path = {});

  std::optional<TunedProgram> find(const std::string& key) const;
  // Reads the file again, adds or replaces the line, and puts the new file in its place whole.
  void keep(const std::string& key, const TunedProgram& entry);
  const std::filesystem::path& path() const { return path_; }

 private:
  void read();

  std::filesystem::path path_;
  std::map<std::string, TunedProgram> entries_;
};

}  // namespace aisp::jit
