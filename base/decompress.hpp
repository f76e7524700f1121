// The two compressions of fatbin entries. Both throw BrokenCode on bad input, also where it yields
// more or fewer bytes than stated, and reserve no memory that it could not fill.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace aisp::base {

// What is wrong with device code, in words.
struct BrokenCode : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr std::uint64_t largest_plain = std::uint64_t{1} << 30;  // bytes of one entry

std::string unpack_zstd(std::string_view packed, std::uint64_t plain_size);
std::string unpack_lz4(std::string_view packed, std::uint64_t plain_size);  // one LZ4 block

}  // namespace aisp::base
