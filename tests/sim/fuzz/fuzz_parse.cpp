// libFuzzer target: any bytes either parse or are refused with a message that names the line.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/ptx/module.hpp"

using namespace aisp;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto module = sim::ptx::parse(std::string(reinterpret_cast<const char*>(data), size));
    if (module.version_major < 0 || module.target.empty()) std::abort();
  } catch (const sim::ptx::Refused& refused) {
    if (!std::string_view(refused.what()).starts_with("line ")) std::abort();
  }
  return 0;
}
