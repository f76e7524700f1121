// Convolutions of 8-bit elements: e4m3 scaled into bf16, s8 into exact s32.
#include "tile/instances/conv2d/recipes.cuh"

namespace aisp::tile::device {

void add_conv2d_narrow(ConvTable& table) {
  add_convolutions<Conv128x256<types::e4m3_to_bf16>, Conv128x128<types::e4m3_to_bf16>,
                   Conv256x64<types::e4m3_to_bf16>>(table);
  add_convolutions<Conv128x256<types::s8_to_s32>, Conv128x128<types::s8_to_s32>>(table);
}

}  // namespace aisp::tile::device
