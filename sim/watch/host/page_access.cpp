#include "sim/watch/host/page_access.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

namespace aisp::sim::watch {
namespace {

// One character of /proc/self/maps after another.
class Maps {
 public:
  Maps() : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;
  ~Maps() {
    if (file_ >= 0) ::close(file_);
  }
  bool next(char& got) {
    if (at_ == size_) {
      const ssize_t size = file_ < 0 ? 0 : ::read(file_, text_, sizeof text_);
      if (size <= 0) return false;
      size_ = static_cast<std::size_t>(size);
      at_ = 0;
    }
    got = text_[at_++];
    return true;
  }
  // The digits up to a character that is none, which is skipped.
  bool number(std::uint64_t& value) {
    value = 0;
    for (char digit = 0; next(digit);) {
      if (digit >= '0' && digit <= '9')
        value = value << 4 | static_cast<std::uint64_t>(digit - '0');
      else if (digit >= 'a' && digit <= 'f')
        value = value << 4 | static_cast<std::uint64_t>(digit - 'a' + 10);
      else
        return true;
    }
    return false;
  }
  bool skip_line() {
    for (char one = 0; next(one);)
      if (one == '\n') return true;
    return false;
  }

 private:
  int file_;
  char text_[2048];
  std::size_t at_ = 0, size_ = 0;
};

}  // namespace

bool permits(std::uint64_t address, PageAccess access) {
  Maps maps;
  std::uint64_t low = 0, high = 0;
  while (maps.number(low) && maps.number(high)) {  // "low-high rwxp offset ..."
    if (address < low) return false;
    if (address < high) {
      char may[3] = {};
      for (char& one : may)
        if (!maps.next(one)) return false;
      return may[static_cast<std::size_t>(access)] != '-';
    }
    if (!maps.skip_line()) return false;
  }
  return false;
}

}  // namespace aisp::sim::watch
