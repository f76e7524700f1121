// The short name of a device, as it stands in expectations_<hardware>.json.
#pragma once

#include <string>
#include <string_view>

namespace aisp::lab {

// "NVIDIA H200" -> "h200", "NVIDIA A100-SXM4-80GB" -> "a100-sxm4-80gb".
std::string hardware_key(std::string_view device_name);

}  // namespace aisp::lab
