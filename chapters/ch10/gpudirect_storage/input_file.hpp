// The input of a launch as a file. The lab gives inputs as device memory; before a run, outside of
// its time, they are written out, and the run then reads the file alone. Rungs share the files: one
// for each set of buffers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chapters/ch10/common/pinned_memory.hpp"
#include "chapters/ch10/gpudirect_storage/file.hpp"
#include "lab/case/rung.hpp"

namespace aisp::ch10 {

class InputFile {
 public:
  explicit InputFile(std::int64_t bytes);

  // Not timed: the file holds what the launch's first input holds now, and the page cache holds
  // none of it.
  void match(const lab::Launch& launch);

  std::int64_t bytes() const { return bytes_; }
  const File& cached() const { return file_; }                           // through the page cache
  const File& past_cache() const { return direct_ ? direct_ : file_; }   // where that is possible
  const std::string& why_not_direct() const { return why_not_direct_; }  // "" where it is
  // "" or what a reader of the times must know: that the cache could not be emptied.
  std::string warning() const;
  const std::vector<char>& first_page() const { return first_page_; }

 private:
  // The input piece by piece: its bytes on the host, how many, and where they begin.
  using TakePart = std::function<void(const char*, std::int64_t, std::int64_t)>;
  void for_each_part(const lab::Launch& launch, const TakePart& take) const;

  std::int64_t bytes_;
  File file_, direct_;
  std::string why_not_direct_;
  std::vector<char> first_page_;  // of what the file holds
  std::uint64_t digest_ = 0;      // of all of it
  double still_cached_ = 0;       // once the cache was told to forget
};

// The file of a launch's first input, made at first use and shared by all who ask.
std::shared_ptr<InputFile> input_file(const lab::Launch& launch);

// "dd-style reading gives 2.31 GB/s": blocks of 1 MiB, cold cache, the middle of three, measured
// once in this process.
std::string dd_figure(const InputFile& file);

// The files of the launches that a rung has seen, and the note that goes with its row.
class RungFiles {
 public:
  // Says which path the rung takes with this file; asked once, before the first run.
  using Path = std::function<std::string(const InputFile&)>;

  // Notes the path and, where times are measured, how fast dd would be.
  void before_run(const lab::Launch& launch, lab::Setup& setup, const Path& path);
  InputFile& of(const lab::Launch& launch);

 private:
  std::map<const void*, std::shared_ptr<InputFile>> files_;  // by the input's address
  bool noted_ = false;
};

}  // namespace aisp::ch10
