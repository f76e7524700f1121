#include "base/fatbin.hpp"

#include <cstring>
#include <stdexcept>

#include "base/decompress.hpp"
#include "base/refuse.hpp"

namespace aisp::base {
namespace {

constexpr std::uint64_t lz4_flag = 0x2000, zstd_flag = 0x8000;
constexpr std::uint64_t exact_flag = 0x100000, family_flag = 0x200000;  // sm_90a, sm_100f

struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* prelinked;  // version 2: a null-terminated list of fatbins
};

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
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);

constexpr std::uint16_t kind_ptx = 1, kind_elf = 2;

std::uint32_t magic_of(const void* data) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, data, sizeof magic);
  return magic;
}

Image read_entry(const Entry& entry, const char* payload) {
  Image image;
  image.kind = entry.kind == kind_ptx   ? Image::Kind::ptx
               : entry.kind == kind_elf ? Image::Kind::machine_code
                                        : Image::Kind::other;
  image.architecture = static_cast<int>(entry.architecture);
  image.suffix = (entry.flags & exact_flag) != 0 ? 'a' : (entry.flags & family_flag) != 0 ? 'f' : 0;
  image.flags = entry.flags;
  const bool packed = (entry.flags & (lz4_flag | zstd_flag)) != 0;
  image.bytes = {payload, packed ? entry.packed_size : static_cast<std::size_t>(entry.bytes)};
  image.plain_size = packed ? entry.plain_size : 0;
  return image;
}

void read_fatbin(const void* data, int unit, std::vector<Image>& images) {
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.version != 1)
    throw std::runtime_error(say("fatbin of version ", header.version, ", known is 1"));
  const char* at = static_cast<const char*>(data) + header.header_bytes;
  const char* const end = at + header.bytes;
  while (at + sizeof(Entry) <= end) {
    Entry entry;
    std::memcpy(&entry, at, sizeof entry);
    const auto room = static_cast<std::uint64_t>(end - at);
    if (entry.header_bytes < sizeof(Entry) || entry.header_bytes > room ||
        entry.bytes > room - entry.header_bytes || entry.packed_size > entry.bytes)
      throw std::runtime_error(say("fatbin entry of ", entry.bytes, " bytes in ", room));
    images.push_back(read_entry(entry, at + entry.header_bytes));
    images.back().unit = unit;
    at += entry.header_bytes + entry.bytes;
  }
}

// ".target sm_90a" of a bare text.
Image read_text(const char* text) {
  Image image;
  image.kind = Image::Kind::ptx;
  image.bytes = text;
  const std::size_t target = image.bytes.find(".target");
  const std::size_t sm =
      target == std::string_view::npos ? target : image.bytes.find("sm_", target);
  if (sm == std::string_view::npos)
    throw std::runtime_error("device code is neither a fatbin, an ELF image nor PTX text");
  std::size_t at = sm + 3;
  for (; at < image.bytes.size() && image.bytes[at] >= '0' && image.bytes[at] <= '9'; ++at)
    image.architecture = image.architecture * 10 + (image.bytes[at] - '0');
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

std::vector<Image> read_images(const void* data) {
  std::vector<Image> images;
  if (magic_of(data) == wrapper_magic) {
    Wrapper wrapper;
    std::memcpy(&wrapper, data, sizeof wrapper);
    if (wrapper.version == 2 && wrapper.prelinked != nullptr)
      for (int unit = 0; wrapper.prelinked[unit] != nullptr; ++unit)
        read_fatbin(wrapper.prelinked[unit], unit, images);
    if (images.empty()) return read_images(wrapper.data);
    return images;
  }
  if (magic_of(data) == fatbin_magic) {
    read_fatbin(data, 0, images);
    return images;
  }
  if (magic_of(data) == elf_magic) {
    Image image;
    image.kind = Image::Kind::machine_code;
    images.push_back(image);
    return images;
  }
  images.push_back(read_text(static_cast<const char*>(data)));
  return images;
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
