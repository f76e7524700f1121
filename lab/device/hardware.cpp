#include "lab/device/hardware.hpp"

#include <cctype>

namespace aisp::lab {

std::string hardware_key(std::string_view device_name) {
  constexpr std::string_view vendor = "NVIDIA ";
  if (device_name.starts_with(vendor)) device_name.remove_prefix(vendor.size());
  std::string key;
  for (const char c : device_name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0)
      key += static_cast<char>(std::tolower(byte));
    else if (!key.empty() && key.back() != '-')
      key += '-';
  }
  while (!key.empty() && key.back() == '-') key.pop_back();
  return key.empty() ? "unknown" : key;
}

}  // namespace aisp::lab
