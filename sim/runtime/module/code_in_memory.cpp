#include "sim/runtime/module/code_in_memory.hpp"

#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

using base::BrokenCode, base::say;

constexpr int most_units = 1 << 16;  // translation units of a program

// What nvcc puts into a program's .nvFatBinSegment.
struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* prelinked;  // version 2: a null-terminated list of fatbins
};

// The kernel copies a signal set of 8 bytes from the address before it refuses the operation, which
// is none: EFAULT says that they cannot be read. The signal mask stays as it is.
bool can_read(std::uintptr_t at) {
  constexpr std::uintptr_t set_bytes = 8;
  if (at < set_bytes) return false;  // a null pointer is no set
  const int before = errno;
  const bool refused =
      syscall(SYS_rt_sigprocmask, -1, at / set_bytes * set_bytes, nullptr, set_bytes) == -1 &&
      errno == EFAULT;
  errno = before;
  return !refused;
}

struct Segment {
  std::uintptr_t at, end;
};

// The end of the part of the program or of a library that has the address: the loader has mapped
// it, so that its pages need not be touched one by one when a program with much code starts.
std::uintptr_t end_of_segment(std::uintptr_t at) {
  Segment found{at, at};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* into) {
        auto& wanted = *static_cast<Segment*>(into);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = object->dlpi_phdr[i];
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && (part.p_flags & PF_R) != 0 && wanted.at >= begin &&
              wanted.at - begin < part.p_memsz)
            wanted.end = begin + part.p_memsz;
        }
        return wanted.end != wanted.at ? 1 : 0;
      },
      &found);
  return found.end;
}

std::string address_text(const void* at) { return say("address ", at); }

std::string_view bytes_at(const void* at, std::uint64_t bytes, const char* what) {
  const std::size_t there = readable_bytes(at, bytes);
  if (there < bytes)
    throw BrokenCode(say(what, " of ", bytes, " bytes at ", address_text(at), ", of which ", there,
                         " can be read"));
  return {static_cast<const char*>(at), bytes};
}

std::string_view text_at(const void* data) {
  const auto* const begin = static_cast<const char*>(data);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t seen = 0; seen < base::largest_code;) {
    const std::size_t to_page_end = page - (reinterpret_cast<std::uintptr_t>(begin) + seen) % page;
    if (readable_bytes(begin + seen, to_page_end) < to_page_end)
      throw BrokenCode(say("device code at ", address_text(data),
                           " is no fatbin and no ELF image, and no zero ends it as a text in the ",
                           seen, " bytes that can be read"));
    if (const void* end = std::memchr(begin + seen, 0, to_page_end))
      return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
    seen += to_page_end;
  }
  throw BrokenCode(say("a text of more than ", base::largest_code, " bytes as device code"));
}

std::uint32_t magic_at(const void* data) {
  return base::magic_of(
      {static_cast<const char*>(data), readable_bytes(data, sizeof(std::uint32_t))});
}

Wrapper read_wrapper(const void* data) {
  Wrapper wrapper;
  std::memcpy(&wrapper, bytes_at(data, sizeof wrapper, "fatbin wrapper").data(), sizeof wrapper);
  if (wrapper.version != 1 && wrapper.version != 2)
    throw BrokenCode(say("fatbin wrapper of version ", wrapper.version, ", known are 1 and 2"));
  if (magic_at(wrapper.data) == base::wrapper_magic)
    throw BrokenCode("fatbin wrapper that leads to a wrapper");
  return wrapper;
}

std::string_view fatbin_at(const void* data) {
  const auto header = bytes_at(data, base::fatbin_header_bytes, "fatbin header");
  return bytes_at(data, base::fatbin_length(header), "fatbin");
}

std::string_view elf_at(const void* data) {
  const auto header = bytes_at(data, base::elf_header_bytes, "ELF header");
  return bytes_at(data, base::elf_length(header), "ELF image");
}

std::vector<base::Image> images_of_units(const void* const* list) {
  std::vector<base::Image> images;
  for (int unit = 0; unit < most_units; ++unit) {
    const void* fatbin = nullptr;
    std::memcpy(&fatbin, bytes_at(list + unit, sizeof fatbin, "entry of a list of fatbins").data(),
                sizeof fatbin);
    if (fatbin == nullptr) return images;
    if (magic_at(fatbin) != base::fatbin_magic)
      throw BrokenCode(say("no fatbin at ", address_text(fatbin), " in the list of unit ", unit));
    for (base::Image& image : base::read_images(fatbin_at(fatbin))) {
      image.unit = unit;
      images.push_back(image);
    }
  }
  throw BrokenCode(say("a list of more than ", most_units, " fatbins"));
}

}  // namespace

std::size_t readable_bytes(const void* data, std::size_t most) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  most = std::min<std::size_t>(most, UINTPTR_MAX - at);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::uintptr_t seen = end_of_segment(at) - at;
  while (seen < most && can_read(at + seen)) seen += page - (at + seen) % page;
  return std::min<std::size_t>(seen, most);
}

std::string_view code_at(const void* data) {
  switch (magic_at(data)) {
    case base::wrapper_magic:
      return code_at(read_wrapper(data).data);
    case base::fatbin_magic:
      return fatbin_at(data);
    case base::elf_magic:
      return elf_at(data);
    default:
      return text_at(data);
  }
}

std::vector<base::Image> images_at(const void* data) {
  if (magic_at(data) == base::wrapper_magic) {
    const Wrapper wrapper = read_wrapper(data);
    if (wrapper.version == 2 && wrapper.prelinked != nullptr)
      if (auto images = images_of_units(wrapper.prelinked); !images.empty()) return images;
  }
  return base::read_images(code_at(data));
}

}  // namespace aisp::sim
