// A worker process: gets its job on standard input, streams lines on descriptor 3, writes what
// kernels print into a log. It dies with its parent and never sees the terminal's Ctrl-C.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/case/case.hpp"

namespace aisp::lab {

inline constexpr int worker_stream = 3;
// Longer than any record is; the bytes of a line without an end must not fill the parent's memory.
inline constexpr std::size_t longest_line = std::size_t{16} << 20;

class Child {
 public:
  // Starts this program again with the given arguments.
  Child(const std::vector<std::string>& arguments, const std::string& input,
        const std::filesystem::path& log, const Environment& environment = {})
      : Child("/proc/self/exe", arguments, input, log, environment) {}
  // Starts another one, which may start this one in turn. Its environment is this process's with
  // the given variables in it.
  Child(const std::string& program, const std::vector<std::string>& arguments,
        const std::string& input, const std::filesystem::path& log,
        const Environment& environment = {});
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // kills what still runs

  enum class Read { lines, end, deadline, interrupted, overlong };
  // Waits for whole lines, the end of the stream, the deadline, or `interrupt` becoming readable.
  // overlong: more than `longest_line` bytes came without an end of line; nothing is to be read
  // after that.
  Read read(std::vector<std::string>& lines, std::chrono::steady_clock::time_point deadline,
            int interrupt);

  // What came behind the last whole line.
  const std::string& partial() const { return partial_; }

  void kill();
  // How it ended, for a reader: "" for exit 0, "exit code 5", "killed by SIGSEGV (…)".
  std::string wait();

  // The last non-empty line that this worker wrote to the log, or "".
  std::string last_words() const;

 private:
  pid_t process_ = -1;
  int stream_ = -1;
  std::string partial_;
  std::filesystem::path log_;
  std::uintmax_t log_start_ = 0;
};

}  // namespace aisp::lab
