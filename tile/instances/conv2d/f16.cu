// Convolutions of f16.
#include "tile/instances/conv2d/recipes.cuh"

namespace aisp::tile::device {

void add_conv2d_f16(ConvTable& table) {
  add_convolutions<Conv128x256<types::f16>, Conv128x128<types::f16>, Conv256x64<types::f16>>(table);
}

}  // namespace aisp::tile::device
