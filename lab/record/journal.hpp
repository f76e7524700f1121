// The journal of a run, <folder>/run.jsonl: one record per line, only ever appended to, on disk
// before append() returns. A process that dies leaves at most one torn last line behind.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "lab/record/file.hpp"
#include "lab/record/records.hpp"

namespace aisp::lab {

inline constexpr std::string_view journal_name = "run.jsonl";

// The first `bytes` of a journal's text are whole lines; the rest is what a dying writer left.
struct WholeLines {
  std::size_t bytes = 0;
  std::string warning;  // "" when nothing was torn
};

WholeLines whole_lines(std::string_view text);

class Journal {
 public:
  enum class Open { fresh, resume };

  // fresh: makes the folder and refuses one that has a journal already. resume: refuses a folder
  // without one and cuts a torn last line off. Both refuse a journal that another process has open;
  // to resume, open the journal first and read the run after, so that nothing can come between.
  // A forked child shares the lock until it calls exec.
  Journal(const std::filesystem::path& folder, Open how);

  // All or nothing: when the disk is full the journal keeps its last whole line.
  void append(std::span<const Record> records);
  void append(const Record& record) { append(std::span(&record, 1)); }

  const std::filesystem::path& path() const { return path_; }
  const std::string& warning() const { return warning_; }

 private:
  void lock() const;
  void drop_torn_line();

  std::filesystem::path path_;
  std::string warning_;
  FileDescriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace aisp::lab
