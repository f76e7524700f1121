// The four directions of IEEE 754.
#pragma once

#include <cstdint>

namespace aisp::base::host {

enum class Rounding : std::uint8_t { nearest, zero, down, up };

}  // namespace aisp::base::host
