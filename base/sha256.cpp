#include "base/sha256.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace aisp::base {

Sha256 sha256_of(std::string_view bytes) {
  Sha256 digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("OpenSSL cannot compute a SHA-256 here");
  return digest;
}

std::string hex_of(const Sha256& digest) {
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const std::uint8_t byte : digest) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

}  // namespace aisp::base
