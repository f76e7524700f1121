// Files as the rungs need them: without a name, so that nothing stays behind whatever happens;
// written whole or refused with the numbers; read whole or said where they ended.
#pragma once

#include <cstdint>
#include <string>

namespace aisp::ch10 {

inline constexpr std::int64_t page_bytes = 4096;   // what O_DIRECT wants addresses and sizes in
inline constexpr std::int64_t dd_bytes = 1 << 20;  // what dd is usually told to read at once

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// An open file. It is closed at the end of its life.
class File {
 public:
  File() = default;
  File(int descriptor, std::string name, bool direct = false)
      : descriptor_(descriptor), name_(std::move(name)), direct_(direct) {}
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  const std::string& name() const { return name_; }  // for messages
  bool direct() const { return direct_; }            // past the page cache

  // Throws (std::runtime_error) with the byte where the file ended or could not be read. Of a
  // direct file the memory must be aligned to a page and reach to the next page's end.
  void read(void* to, std::int64_t bytes, std::int64_t offset) const;
  // Refuses (Exit::environment) with how much went in. Starts at `offset` of a file that is to be
  // `whole` bytes long.
  void write(const void* from, std::int64_t bytes, std::int64_t offset, std::int64_t whole) const;

 private:
  int descriptor_ = -1;
  std::string name_;
  bool direct_ = false;
};

// $AISP_STORAGE_DIR, else the current folder where it can be written, else $TMPDIR or /tmp.
std::string storage_folder();

// Refuses (Exit::environment) when a new file of so many bytes does not fit: free space, limits.
void require_room(const std::string& folder, std::int64_t bytes);

// A new file to write and read that has no name. Refuses (Exit::environment) a folder that is
// missing or cannot be written.
File make_nameless(const std::string& folder);

// Refuses (Exit::environment) a file that is missing or cannot be read.
File open_to_read(const std::string& path);

// The same file once more, to be read past the page cache; an empty one with the reason where the
// file system does not have that.
File open_direct(const File& file, std::string& why_not);

// Makes the next reader go to the disk: what is written is on the disk, and the cache forgets it.
void push_to_disk(const File& file);
void forget_cached(const File& file);
// Share of the file's pages, 0 to 1, that the page cache holds; 0 where it cannot be known.
double cached_share(const File& file, std::int64_t bytes);

// Seconds to read the file once the way dd does: one block of 1 MiB after the other, nothing else.
double read_like_dd(const File& file, std::int64_t bytes);

}  // namespace aisp::ch10
