#include "base/decompress.hpp"

#include <zstd.h>

#include <stdexcept>

namespace aisp::base {
namespace {

// What a broken length field may ask for at most.
constexpr std::uint64_t largest_text = std::uint64_t{1} << 31;

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
    if (!holds) throw std::runtime_error("broken LZ4 block in a fatbin");
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

void check_size(std::uint64_t plain_size) {
  if (plain_size > largest_text) throw std::runtime_error("fatbin entry too large");
}

}  // namespace

std::string unpack_zstd(std::string_view packed, std::uint64_t plain_size) {
  check_size(plain_size);
  std::string plain(plain_size, '\0');
  const std::size_t got = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != plain_size)
    throw std::runtime_error("broken zstd frame in a fatbin");
  return plain;
}

std::string unpack_lz4(std::string_view packed, std::uint64_t plain_size) {
  check_size(plain_size);
  return Lz4(packed, plain_size).run();
}

}  // namespace aisp::base
