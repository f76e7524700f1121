// A fingerprint that tells two texts apart; no protection against whoever wants to forge one.
#pragma once

#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>

namespace aisp::base {

// FNV-1a, 64 bits.
constexpr std::uint64_t digest_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

// As sixteen digits.
inline std::string hex_digest(std::string_view bytes) {
  std::ostringstream hex;
  hex << std::hex << std::setw(16) << std::setfill('0') << digest_of(bytes);
  return hex.str();
}

}  // namespace aisp::base
