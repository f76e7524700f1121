// Refusals of the decoder.
#pragma once

#include <string>
#include <string_view>

namespace aisp::sim {

// Throws ptx::Refused: "line 12: why: text"
[[noreturn]] void refuse_line(int line, const std::string& why, std::string_view text);

}  // namespace aisp::sim
