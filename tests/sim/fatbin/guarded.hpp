// Memory that ends where reading ends.
#pragma once

#include <cstddef>
#include <string>

namespace fatbin_fuzz {

// Memory whose last byte is followed by a page that cannot be read: what reads past its end faults.
class Guarded {
 public:
  explicit Guarded(std::size_t room);
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  ~Guarded();
  // Its copy, which ends at the guard page, zeros before it; valid until the next one.
  char* place(const std::string& bytes);

 private:
  char* begin_ = nullptr;
  std::size_t room_ = 0, page_ = 0;
};

}  // namespace fatbin_fuzz
