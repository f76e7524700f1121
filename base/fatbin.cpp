#include "base/fatbin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/refuse.hpp"

namespace aisp::base {
namespace {

constexpr std::uint64_t lz4_flag = 0x2000, zstd_flag = 0x8000;
constexpr std::uint64_t exact_flag = 0x100000, family_flag = 0x200000;  // sm_90a, sm_100f

struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // of what follows the header
};

struct Entry {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;        // stored, padding included
  std::uint32_t packed_size;  // compressed, without padding
  std::uint32_t options;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name_at, name_bytes;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t plain_size;
};
static_assert(sizeof(Header) == fatbin_header_bytes && sizeof(Entry) == 64);
static_assert(sizeof(Elf64_Ehdr) == elf_header_bytes);

constexpr std::uint16_t kind_ptx = 1, kind_elf = 2;
constexpr std::uint16_t machine_cuda = 190;          // EM_CUDA
constexpr std::uint32_t newest_architecture = 9999;  // four digits: the next ones have three

template <class T>
T load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

Image read_entry(const Entry& entry, std::string_view payload) {
  Image image;
  image.kind = entry.kind == kind_ptx   ? Image::Kind::ptx
               : entry.kind == kind_elf ? Image::Kind::machine_code
                                        : Image::Kind::other;
  if (entry.architecture > newest_architecture)
    throw BrokenCode(say("fatbin entry for architecture ", entry.architecture, ", which is none"));
  image.architecture = static_cast<int>(entry.architecture);
  image.suffix = (entry.flags & exact_flag) != 0 ? 'a' : (entry.flags & family_flag) != 0 ? 'f' : 0;
  image.flags = entry.flags;
  const bool packed = (entry.flags & (lz4_flag | zstd_flag)) != 0;
  if (packed && entry.plain_size == 0)
    throw BrokenCode("compressed fatbin entry that states no size");
  image.bytes = packed ? payload.substr(0, entry.packed_size) : payload;
  image.plain_size = packed ? entry.plain_size : 0;
  return image;
}

// Entries follow each other without gaps. Less than a header of them at the end is padding.
std::vector<Image> read_entries(std::string_view left) {
  std::vector<Image> images;
  while (left.size() >= sizeof(Entry)) {
    const auto entry = load<Entry>(left);
    if (entry.header_bytes < sizeof(Entry) || entry.header_bytes > left.size() ||
        entry.bytes > left.size() - entry.header_bytes)
      throw BrokenCode(say("fatbin entry of ", entry.header_bytes, " + ", entry.bytes,
                           " bytes where ", left.size(), " are left"));
    if (entry.packed_size > entry.bytes)
      throw BrokenCode(
          say("fatbin entry of ", entry.packed_size, " compressed bytes in ", entry.bytes));
    left.remove_prefix(entry.header_bytes);
    images.push_back(read_entry(entry, left.substr(0, entry.bytes)));
    left.remove_prefix(entry.bytes);
  }
  if (std::any_of(left.begin(), left.end(), [](char byte) { return byte != 0; }))
    throw BrokenCode(say("fatbin with ", left.size(), " bytes after its last entry"));
  return images;
}

std::vector<Image> read_fatbin(std::string_view code) {
  const std::uint64_t length = fatbin_length(code);
  if (length > code.size())
    throw BrokenCode(say("fatbin of ", length, " bytes, of which ", code.size(), " are there"));
  return read_entries(code.substr(0, length).substr(load<Header>(code).header_bytes));
}

Image read_elf(std::string_view code) {
  const std::uint64_t length = elf_length(code);
  if (length > code.size())
    throw BrokenCode(say("ELF image of ", length, " bytes, of which ", code.size(), " are there"));
  Image image;
  image.kind = Image::Kind::machine_code;
  return image;
}

// ".target sm_90a" of a bare text, which ends at the first zero.
Image read_text(std::string_view text) {
  Image image;
  image.kind = Image::Kind::ptx;
  image.bytes = text.substr(0, text.find('\0'));
  const std::size_t target = image.bytes.find(".target");
  const std::size_t sm =
      target == std::string_view::npos ? target : image.bytes.find("sm_", target);
  if (sm == std::string_view::npos)
    throw BrokenCode("device code is neither a fatbin, an ELF image nor PTX text");
  std::size_t at = sm + 3;
  for (; at < image.bytes.size() && image.bytes[at] >= '0' && image.bytes[at] <= '9'; ++at) {
    image.architecture = image.architecture * 10 + (image.bytes[at] - '0');
    if (image.architecture > static_cast<int>(newest_architecture))
      throw BrokenCode("PTX text for an architecture of more than four digits");
  }
  if (at < image.bytes.size() && (image.bytes[at] == 'a' || image.bytes[at] == 'f'))
    image.suffix = image.bytes[at];
  return image;
}

}  // namespace

std::string Image::target() const {
  std::string text = say("sm_", architecture);
  if (suffix != 0) text += suffix;
  return text;
}

std::uint32_t magic_of(std::string_view code) {
  return code.size() < sizeof(std::uint32_t) ? 0 : load<std::uint32_t>(code);
}

std::uint64_t fatbin_length(std::string_view code) {
  if (code.size() < sizeof(Header))
    throw BrokenCode(say("fatbin of ", code.size(), " bytes, shorter than its header"));
  const auto header = load<Header>(code);
  if (header.version != 1)
    throw BrokenCode(say("fatbin of version ", header.version, ", known is 1"));
  if (header.header_bytes < sizeof(Header))
    throw BrokenCode(say("fatbin with a header of ", header.header_bytes, " bytes"));
  if (header.bytes > largest_code)
    throw BrokenCode(say("fatbin of ", header.bytes, " bytes, at most are ", largest_code));
  return header.header_bytes + header.bytes;
}

// It ends with one of its tables, or at least reaches as far.
std::uint64_t elf_length(std::string_view code) {
  if (code.size() < sizeof(Elf64_Ehdr))
    throw BrokenCode(say("ELF image of ", code.size(), " bytes, shorter than its header"));
  const auto header = load<Elf64_Ehdr>(code);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != machine_cuda)
    throw BrokenCode(say("ELF image for machine ", header.e_machine,
                         ", which is no GPU; a GPU's is a 64-bit one for ", machine_cuda));
  std::uint64_t length = sizeof header;
  for (const auto& [at, count, bytes] :
       {std::tuple(header.e_shoff, header.e_shnum, header.e_shentsize),
        std::tuple(header.e_phoff, header.e_phnum, header.e_phentsize)}) {
    if (at > largest_code)
      throw BrokenCode(say("ELF image with a table at ", at, ", at most is ", largest_code));
    length = std::max(length, at + std::uint64_t{count} * bytes);
  }
  return length;
}

std::vector<Image> read_images(std::string_view code) {
  switch (magic_of(code)) {
    case fatbin_magic:
      return read_fatbin(code);
    case elf_magic:
      return {read_elf(code)};
    case wrapper_magic:
      throw BrokenCode("the wrapper of a fatbin holds pointers: give the fatbin itself");
    default:
      return {read_text(code)};
  }
}

std::string plain_bytes(const Image& image) {
  if (image.plain_size == 0) return std::string(image.bytes);
  if ((image.flags & zstd_flag) != 0) return unpack_zstd(image.bytes, image.plain_size);
  return unpack_lz4(image.bytes, image.plain_size);
}

std::string ptx_text(const Image& image) {
  std::string text = plain_bytes(image);
  text.resize(std::strlen(text.c_str()));  // padded with zeros
  return text;
}

}  // namespace aisp::base
