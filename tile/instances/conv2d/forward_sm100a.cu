// Convolutions on Blackwell: bf16 and f16, e4m3 scaled into bf16, s8 into exact s32.
#include "tile/instances/conv2d/recipes_sm100.cuh"

namespace aisp::tile::device {

void add_conv2d_sm100(ConvTable& table) {
  add_convolutions<Tcgen05Conv256x128<types::bf16>, Tcgen05Conv128x64<types::bf16>>(table);
  add_convolutions<Tcgen05Conv256x128<types::f16>, Tcgen05Conv128x64<types::f16>>(table);
  add_convolutions<Tcgen05Conv256x128<types::e4m3_to_bf16>, Tcgen05Conv128x64<types::e4m3_to_bf16>>(
      table);
  add_convolutions<Tcgen05Conv256x128<types::s8_to_s32>, Tcgen05Conv128x64<types::s8_to_s32>>(
      table);
}

}  // namespace aisp::tile::device
