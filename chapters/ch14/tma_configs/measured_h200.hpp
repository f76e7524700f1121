// What `aisp sweep ch14:tma_configs --rungs asked` measured on an H200 (driver 580, CUDA 13.0, 11
// samples each, 7 for boxes of 1 KiB, cold L2), the columns that tma_table.hpp reads: boxes of 16
// to 128 bytes in 64 KiB of rings, two blocks per multiprocessor; wider ones in rings of 24 to 192
// KiB.
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
ch14:tma_configs,tile 256x8x16x16x2x2x512x32768,asked,measured,3898.96
ch14:tma_configs,tile 256x8x16x32x1x2x512x32768,asked,measured,3652.78
ch14:tma_configs,tile 256x16x16x8x2x2x512x32768,asked,measured,3939.24
ch14:tma_configs,tile 256x16x16x16x1x2x512x32768,asked,measured,3939.24
ch14:tma_configs,tile 256x32x16x4x1x2x512x32768,asked,measured,3434.44
ch14:tma_configs,tile 256x32x16x4x2x2x512x32768,asked,measured,3951.3
ch14:tma_configs,tile 256x32x16x6x1x2x512x32768,asked,measured,3950.37
ch14:tma_configs,tile 256x32x16x6x2x2x512x32768,asked,measured,3974.7
ch14:tma_configs,tile 256x32x16x8x1x2x512x32768,asked,measured,3972.82
ch14:tma_configs,tile 256x64x16x4x1x2x512x32768,asked,measured,3947.58
ch14:tma_configs,tile 256x64x16x4x2x2x512x32768,asked,measured,3959.69
ch14:tma_configs,tile 256x64x16x6x1x2x512x32768,asked,measured,3941.09
ch14:tma_configs,tile 256x64x16x6x2x2x512x32768,asked,measured,3998.38
ch14:tma_configs,tile 512x8x16x8x2x2x512x32768,asked,measured,3910.77
ch14:tma_configs,tile 512x8x16x16x1x2x512x32768,asked,measured,3908.95
ch14:tma_configs,tile 512x16x16x3x1x2x512x32768,asked,measured,3089.73
ch14:tma_configs,tile 512x16x16x4x2x2x512x32768,asked,measured,3955.02
ch14:tma_configs,tile 512x16x16x6x1x2x512x32768,asked,measured,3963.43
ch14:tma_configs,tile 512x16x16x8x1x2x512x32768,asked,measured,3955.02
ch14:tma_configs,tile 512x16x16x12x1x2x512x32768,asked,measured,3889.92
ch14:tma_configs,tile 512x32x16x2x2x2x512x32768,asked,measured,3720.83
ch14:tma_configs,tile 512x32x16x3x1x2x512x32768,asked,measured,3664.75
ch14:tma_configs,tile 512x32x16x4x1x2x512x32768,asked,measured,3967.18
ch14:tma_configs,tile 512x32x16x4x1x2x512x131072,asked,measured,4046.12
ch14:tma_configs,tile 512x32x16x6x1x2x512x32768,asked,measured,3959.69
ch14:tma_configs,tile 512x32x16x8x1x2x512x32768,asked,measured,3963.43
ch14:tma_configs,tile 512x32x16x12x1x2x512x32768,asked,measured,3974.7
ch14:tma_configs,tile 1024x8x16x4x2x2x512x32768,asked,measured,3936.47
ch14:tma_configs,tile 1024x8x16x8x1x2x512x32768,asked,measured,3951.3
ch14:tma_configs,tile 1024x16x16x2x2x2x512x32768,asked,measured,3720.83
ch14:tma_configs,tile 1024x16x16x4x1x2x512x32768,asked,measured,3964.37
ch14:tma_configs,tile 1024x32x16x2x1x2x512x32768,asked,measured,3472.11
)";

}  // namespace aisp::ch14
