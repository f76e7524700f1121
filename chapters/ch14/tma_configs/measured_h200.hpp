// What `aisp sweep ch14:tma_configs --rungs asked` measured on an H200 (driver 580, CUDA 13.0, 11
// samples each, cold L2), the columns that tma_table.hpp reads: boxes of 16 to 128 bytes in 64 KiB
// of rings, two blocks per multiprocessor.
#pragma once

#include <string_view>

namespace aisp::ch14 {

inline constexpr std::string_view measured_h200 =
    R"(target,size,rung,status,gb_per_s
ch14:tma_configs,tile 16x1x16x64x2x2x512x32768,asked,measured,57.567
ch14:tma_configs,tile 32x1x16x64x2x2x512x32768,asked,measured,115.093
ch14:tma_configs,tile 64x1x16x64x2x2x512x32768,asked,measured,230.105
ch14:tma_configs,tile 128x1x16x64x2x2x512x32768,asked,measured,459.851
ch14:tma_configs,tile 16x4x16x64x2x2x512x32768,asked,measured,230.118
ch14:tma_configs,tile 32x4x16x64x2x2x512x32768,asked,measured,459.877
ch14:tma_configs,tile 64x4x16x64x2x2x512x32768,asked,measured,918.142
ch14:tma_configs,tile 16x8x16x64x2x2x512x32768,asked,measured,459.864
ch14:tma_configs,tile 32x8x16x64x2x2x512x32768,asked,measured,918.243
ch14:tma_configs,tile 64x8x16x64x2x2x512x32768,asked,measured,1830.97
ch14:tma_configs,tile 16x16x16x64x2x2x512x32768,asked,measured,918.243
ch14:tma_configs,tile 32x16x16x64x2x2x512x32768,asked,measured,1829.98
ch14:tma_configs,tile 64x16x16x32x2x2x512x32768,asked,measured,3582.58
ch14:tma_configs,tile 16x32x16x64x2x2x512x32768,asked,measured,1275.83
ch14:tma_configs,tile 32x32x16x32x2x2x512x32768,asked,measured,2969.94
ch14:tma_configs,tile 64x32x16x16x2x2x512x32768,asked,measured,3688.11
ch14:tma_configs,tile 16x64x16x32x2x2x512x32768,asked,measured,1540.04
ch14:tma_configs,tile 32x64x16x16x2x2x512x32768,asked,measured,3003.98
ch14:tma_configs,tile 64x64x16x8x2x2x512x32768,asked,measured,3750.78
ch14:tma_configs,tile 16x128x16x16x2x2x512x32768,asked,measured,1540.32
ch14:tma_configs,tile 32x128x16x8x2x2x512x32768,asked,measured,2993.26
ch14:tma_configs,tile 64x128x16x4x2x2x512x32768,asked,measured,3803.5
)";

}  // namespace aisp::ch14
