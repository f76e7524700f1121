#include "tests/sim/fatbin/guarded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace fatbin_fuzz {

Guarded::Guarded(std::size_t room) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  room_ = (room + page_ - 1) / page_ * page_;
  void* memory =
      mmap(nullptr, room_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(static_cast<char*>(memory) + room_, page_, PROT_NONE) != 0)
    throw std::runtime_error("no memory for a guard page");
  begin_ = static_cast<char*>(memory);
}

Guarded::~Guarded() { munmap(begin_, room_ + page_); }

char* Guarded::place(const std::string& bytes) {
  if (bytes.size() > room_) throw std::runtime_error("an image that is too large for its memory");
  std::memset(begin_, 0, room_);
  char* const at = begin_ + room_ - bytes.size();
  std::memcpy(at, bytes.data(), bytes.size());
  return at;
}

}  // namespace fatbin_fuzz
