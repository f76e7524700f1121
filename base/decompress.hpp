// The two compressions of fatbin entries. Both throw std::runtime_error on bad input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aisp::base {

std::string unpack_zstd(std::string_view packed, std::uint64_t plain_size);
std::string unpack_lz4(std::string_view packed, std::uint64_t plain_size);  // one LZ4 block

}  // namespace aisp::base
