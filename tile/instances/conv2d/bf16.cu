// Convolutions of bf16.
#include "tile/instances/conv2d/recipes.cuh"

namespace aisp::tile::device {

void add_conv2d_bf16(ConvTable& table) {
  add_convolutions<Conv128x256<types::bf16>, Conv128x128<types::bf16>, Conv256x64<types::bf16>,
                   ConvSplitK128x128<types::bf16>>(table);
}

}  // namespace aisp::tile::device
