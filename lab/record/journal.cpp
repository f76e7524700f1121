#include "lab/record/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/refuse.hpp"
#include "base/temporary_file.hpp"

namespace aisp::lab {
namespace {

constexpr std::string_view other_folder = "choose another folder with --out DIR";

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    base::refuse(base::Exit::environment, "cannot make folder ", folder.string(), ": ",
                 error.message(), "; ", other_folder);
}

FileDescriptor open_fresh(const std::filesystem::path& folder, const std::filesystem::path& path) {
  make_folder(folder);
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0 && errno == EEXIST)
    base::refuse(base::Exit::usage, path.string(),
                 " exists already; continue that run with --resume ", folder.string(), " or ",
                 other_folder);
  if (file.get() < 0) refuse_file("create", path, other_folder);
  base::sync_folder(folder);
  return file;
}

base::OpenedFile open_again(const std::filesystem::path& path) {
  base::OpenedFile opened = base::open_to_change(path);
  if (opened.missing)
    base::refuse(base::Exit::usage, "nothing to resume: ", path.string(),
                 " does not exist; give --resume the folder of an earlier run");
  if (!opened.problem.empty())
    base::refuse(base::Exit::environment, "cannot open ", path.string(), ": ", opened.problem,
                 "; a run can only be resumed by who may write it");
  return opened;
}

}  // namespace

WholeLines whole_lines(std::string_view text) {
  std::size_t end = text.rfind('\n') + 1;  // npos + 1 == 0: no line at all
  if (end == text.size() && end != 0) {
    // A newline may have reached the disk before the bytes in front of it.
    const std::size_t before = text.substr(0, end - 1).rfind('\n') + 1;
    if (!nlohmann::json::accept(text.substr(before, end - 1 - before))) end = before;
  }
  if (end == text.size()) return {end, ""};
  return {end, base::say("torn last line dropped at byte ", end, " (", text.size() - end,
                         " bytes of a record that was being written when its writer ended)")};
}

Journal::Journal(const std::filesystem::path& folder, Open how) : path_(folder / journal_name) {
  if (how == Open::fresh) {
    file_ = open_fresh(folder, path_);
    lock();
    return;
  }
  file_ = open_again(path_).file;
  lock();
  drop_torn_line();
}

void Journal::lock() const {
  int result = 0;
  do {
    result = ::flock(file_.get(), LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno == EWOULDBLOCK)
    base::refuse(base::Exit::usage, "another process is writing ", path_.string(),
                 "; wait for it to end or start a new run");
  if (result != 0) refuse_file("lock", path_, other_folder);
}

void Journal::drop_torn_line() {
  const std::string text = read_whole(file_.get(), path_);
  const WholeLines whole = whole_lines(text);
  warning_ = whole.warning;
  size_ = static_cast<std::int64_t>(whole.bytes);
  if (whole.bytes == text.size()) return;
  if (::ftruncate(file_.get(), size_) != 0 || ::fdatasync(file_.get()) != 0)
    refuse_file("repair", path_, "copy the run to a folder that can be written");
}

void Journal::append(std::span<const Record> records) {
  std::string lines;
  for (const auto& record : records) lines += to_line(record);
  try {
    write_whole(file_.get(), lines, path_, other_folder);
    if (::fdatasync(file_.get()) != 0) refuse_file("write", path_, other_folder);
  } catch (...) {
    // What is left of the batch would be a torn line in the middle of the next one.
    if (::ftruncate(file_.get(), size_) != 0) warning_ = "the last line may be torn";
    throw;
  }
  size_ += static_cast<std::int64_t>(lines.size());
}

}  // namespace aisp::lab
