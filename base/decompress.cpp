#include "base/decompress.hpp"

#include <zstd.h>

#include "base/refuse.hpp"

namespace aisp::base {
namespace {

// The most that a stored byte can stand for. LZ4 adds up to 255 to a length with each byte. zstd
// makes a block of 128 KiB of a header of three bytes and one that is repeated.
constexpr std::uint64_t lz4_ratio = 255, zstd_ratio = (128u << 10) / 4;

// Reads an LZ4 block front to back: each sequence is a token (literal length in the high four bits,
// match length - 4 in the low four), longer lengths in bytes of up to 255, the literals, a 16-bit
// little-endian distance. The last sequence ends after its literals.
class Lz4 {
 public:
  Lz4(std::string_view packed, std::uint64_t plain_size) : packed_(packed), size_(plain_size) {}

  std::string run() {
    plain_.reserve(size_);
    while (at_ < packed_.size()) {
      const unsigned token = byte();
      literals(length(token >> 4));
      if (at_ == packed_.size()) break;
      const std::uint64_t low = byte(), distance = low | std::uint64_t{byte()} << 8;
      match(distance, length(token & 15) + 4);
    }
    check(plain_.size() == size_);
    return std::move(plain_);
  }

 private:
  static void check(bool holds) {
    if (!holds) throw BrokenCode("broken LZ4 block in a fatbin");
  }
  unsigned byte() {
    check(at_ < packed_.size());
    return static_cast<unsigned char>(packed_[at_++]);
  }
  std::uint64_t length(unsigned field) {
    std::uint64_t value = field;
    if (field == 15)
      for (unsigned more = 255; more == 255;) value += more = byte();
    return value;
  }
  void literals(std::uint64_t count) {
    check(count <= packed_.size() - at_ && count <= size_ - plain_.size());
    plain_.append(packed_.substr(at_, count));
    at_ += count;
  }
  // Source and destination may overlap: a distance of 1 repeats one byte.
  void match(std::uint64_t distance, std::uint64_t count) {
    check(distance != 0 && distance <= plain_.size() && count <= size_ - plain_.size());
    for (std::uint64_t i = 0; i < count; ++i) plain_ += plain_[plain_.size() - distance];
  }

  std::string_view packed_;
  std::uint64_t size_;
  std::size_t at_ = 0;
  std::string plain_;
};

void check_size(std::string_view packed, std::uint64_t plain_size, std::uint64_t ratio) {
  if (plain_size > largest_plain || plain_size / ratio > packed.size())
    throw BrokenCode(
        say("fatbin entry of ", packed.size(), " bytes that would decompress to ", plain_size));
}

}  // namespace

std::string unpack_zstd(std::string_view packed, std::uint64_t plain_size) {
  check_size(packed, plain_size, zstd_ratio);
  std::string plain(plain_size, '\0');
  const std::size_t got = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != plain_size)
    throw BrokenCode("broken zstd frame in a fatbin");
  return plain;
}

std::string unpack_lz4(std::string_view packed, std::uint64_t plain_size) {
  check_size(packed, plain_size, lz4_ratio);
  return Lz4(packed, plain_size).run();
}

}  // namespace aisp::base
