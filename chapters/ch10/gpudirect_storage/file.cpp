#include "chapters/ch10/gpudirect_storage/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::ch10 {
namespace {

constexpr const char* way_out =
    "free space there, set AISP_STORAGE_DIR to another folder, or choose smaller --sizes";

std::string text_of(std::int64_t bytes) {
  return base::with_prefix(static_cast<double>(bytes), "B");
}

bool can_write(const std::string& folder) { return access(folder.c_str(), W_OK | X_OK) == 0; }

// Older kernels and some file systems have no files without a name: there it loses it at once.
File make_and_unlink(const std::string& folder) {
  std::string path = folder + "/aisp-storage-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0)
    base::refuse(base::Exit::environment, "cannot make a file in ", folder, ": ",
                 std::strerror(errno), "; set AISP_STORAGE_DIR to a folder that can be written");
  unlink(path.c_str());
  return {descriptor, "a file in " + folder};
}

}  // namespace

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      direct_(other.direct_) {}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(name_, other.name_);
  std::swap(direct_, other.direct_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

void File::read(void* to, std::int64_t bytes, std::int64_t offset) const {
  for (std::int64_t done = 0; done < bytes;) {
    // Past the page cache whole pages move: beyond the end of the file the answer is shorter.
    const std::int64_t left = direct_ ? round_up(bytes - done, page_bytes) : bytes - done;
    const auto got = pread(descriptor_, static_cast<char*>(to) + done,
                           static_cast<std::size_t>(left), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw std::runtime_error(
          base::say("cannot read ", name_, " at byte ", offset + done, ": ", std::strerror(errno)));
    done += got;
    const bool ended = got == 0 || (direct_ && got % page_bytes != 0);
    if (ended && done < bytes)
      throw std::runtime_error(base::say("short read: ", name_, " ends at byte ", offset + done,
                                         " and should go on to byte ", offset + bytes,
                                         "; did something cut it?"));
  }
}

void File::write(const void* from, std::int64_t bytes, std::int64_t offset,
                 std::int64_t whole) const {
  for (std::int64_t done = 0; done < bytes;) {
    const auto put = pwrite(descriptor_, static_cast<const char*>(from) + done,
                            static_cast<std::size_t>(bytes - done), offset + done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0)
      base::refuse(base::Exit::environment, "cannot write ", name_, " after ",
                   text_of(offset + done), " of ", text_of(whole), ": ",
                   std::strerror(put == 0 ? ENOSPC : errno), "; ", way_out);
    done += put;
  }
}

std::string storage_folder() {
  if (const char* given = std::getenv("AISP_STORAGE_DIR"); given != nullptr && *given != '\0')
    return given;
  if (can_write(".")) return ".";
  const char* temporary = std::getenv("TMPDIR");
  return temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
}

void require_room(const std::string& folder, std::int64_t bytes) {
  struct statvfs system {};
  if (statvfs(folder.c_str(), &system) != 0)
    base::refuse(base::Exit::environment, "cannot look at the storage folder ", folder, ": ",
                 std::strerror(errno), "; set AISP_STORAGE_DIR to a folder that is there");
  const auto free =
      static_cast<std::int64_t>(system.f_bavail) * static_cast<std::int64_t>(system.f_frsize);
  if (free < bytes)
    base::refuse(base::Exit::environment, "a file of ", text_of(bytes), " does not fit into ",
                 folder, ", where ", text_of(free), " are free; ", way_out);
  // Beyond the limit a write does not fail: it kills the process.
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < static_cast<rlim_t>(bytes))
    base::refuse(base::Exit::environment, "a file of ", text_of(bytes),
                 " is more than this process may write, ",
                 text_of(static_cast<std::int64_t>(limit.rlim_cur)),
                 " (ulimit -f); raise the limit or choose smaller --sizes");
}

File make_nameless(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) return make_and_unlink(folder);
  return {descriptor, "a file in " + folder};
}

File open_to_read(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    base::refuse(base::Exit::environment, "cannot open ", path, ": ", std::strerror(errno));
  return {descriptor, path};
}

File open_direct(const File& file, std::string& why_not) {
  const std::string again = base::say("/proc/self/fd/", file.get());
  const int descriptor = ::open(again.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (descriptor >= 0) return {descriptor, file.name(), true};
  why_not =
      base::say("the file system of ", file.name(), " refuses O_DIRECT: ", std::strerror(errno));
  return {};
}

void push_to_disk(const File& file) {
  if (fdatasync(file.get()) != 0)
    base::refuse(base::Exit::environment, "cannot write ", file.name(),
                 " to the disk: ", std::strerror(errno), "; ", way_out);
}

void forget_cached(const File& file) {
  posix_fadvise(file.get(), 0, 0,
                POSIX_FADV_DONTNEED);  // advice: cached_share says what came of it
}

double cached_share(const File& file, std::int64_t bytes) {
  const auto length = static_cast<std::size_t>(bytes);
  void* mapped = mmap(nullptr, length, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return 0;
  const std::int64_t host_page = sysconf(_SC_PAGESIZE);
  std::vector<unsigned char> pages(
      static_cast<std::size_t>(round_up(bytes, host_page) / host_page));
  const bool known = mincore(mapped, length, pages.data()) == 0;
  munmap(mapped, length);
  const auto held = std::count_if(pages.begin(), pages.end(), [](auto page) { return page & 1; });
  return known ? static_cast<double>(held) / static_cast<double>(pages.size()) : 0;
}

double read_like_dd(const File& file, std::int64_t bytes) {
  std::vector<char> block(dd_bytes);
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t at = 0; at < bytes; at += dd_bytes)
    file.read(block.data(), std::min(dd_bytes, bytes - at), at);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace aisp::ch10
