// SHA-256, as OpenSSL computes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace aisp::base {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256_of(std::string_view bytes);

// 64 digits.
std::string hex_of(const Sha256& digest);

}  // namespace aisp::base
