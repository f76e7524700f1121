// Device code as it is stored in a program: the fatbin container, and PTX text taken out of it.
// Every size in it is untrusted: what it states is checked against the bytes that are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/decompress.hpp"

namespace aisp::base {

// The first four bytes of what a program may hand over as device code.
inline constexpr std::uint32_t wrapper_magic = 0x466243b1, fatbin_magic = 0xba55ed50;
inline constexpr std::uint32_t elf_magic = 0x464c457f;
// Of the four bytes that stand first; 0 where there are fewer.
std::uint32_t magic_of(std::string_view code);

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

// `code` is a fatbin, an ELF image or PTX text; what follows the container does not count. The
// wrapper that nvcc puts around a fatbin holds pointers and is none of them. Throws BrokenCode.
std::vector<Image> read_images(std::string_view code);

// The bytes of an image, decompressed, and the PTX text of one. Throw BrokenCode.
std::string plain_bytes(const Image& image);
std::string ptx_text(const Image& image);

// A container states its own length. These take the bytes that must be there to learn it, and throw
// BrokenCode where they state none that makes sense.
inline constexpr std::size_t fatbin_header_bytes = 16, elf_header_bytes = 64;
inline constexpr std::uint64_t largest_code = std::uint64_t{1} << 31;  // bytes; nvcc's own limit
std::uint64_t fatbin_length(std::string_view header);
std::uint64_t elf_length(std::string_view header);

}  // namespace aisp::base
