// Device code as it lies in a program: the fatbin container, and PTX text taken out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aisp::base {

// The first four bytes of what a program may hand over as device code.
inline constexpr std::uint32_t wrapper_magic = 0x466243b1, fatbin_magic = 0xba55ed50;
inline constexpr std::uint32_t elf_magic = 0x464c457f;

// One entry of a fatbin, or a bare PTX text. `bytes` is as stored, maybe compressed.
struct Image {
  enum class Kind : std::uint8_t { ptx, machine_code, other } kind = Kind::other;
  int architecture = 0;          // 90
  char suffix = 0;               // 'a' of sm_90a, 'f' of sm_100f, 0
  int unit = 0;                  // translation unit, of relocatable device code; else 0
  std::uint64_t flags = 0;       // of the entry header
  std::string_view bytes;        // stored
  std::uint64_t plain_size = 0;  // decompressed; 0: stored plain
  std::string target() const;    // "sm_90a"
};

// `data` is a fatbin wrapper, a fatbin, an ELF image or zero-terminated PTX text. Throws
// std::runtime_error saying what is wrong with the container.
std::vector<Image> read_images(const void* data);

// The bytes of an image, decompressed, and the PTX text of one. Throw std::runtime_error.
std::string plain_bytes(const Image& image);
std::string ptx_text(const Image& image);

}  // namespace aisp::base
