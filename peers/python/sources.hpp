// The Python files of this folder, as the build put them into the program.
#pragma once

#include <string_view>

namespace aisp::embedded {

extern const std::string_view probe_py, bridge_py, device_py, attention_py, contraction_py,
    convolution_py, flex_py,
    rows_py, row_programs_py, triton_attention_py, triton_rows_py;

}  // namespace aisp::embedded
