// Blackwell, microscaling formats of two kinds: 8-bit floats by narrower ones.
#include "tile/instances/gemm_sm100/recipes.cuh"
#include "tile/instances/instances.hpp"

namespace aisp::tile::device {

void add_sm100_mx_mixed(GemmTable& table) {
  using enum Element;
  add<Tcgen05Tile128x128<types::mx(e4m3, e2m1)>, Tcgen05Tile128x128<types::mx(e4m3, e2m3)>,
      Tcgen05Tile128x128<types::mx(e4m3, e3m2)>, Tcgen05Tile128x128<types::mx(e5m2, e4m3)>>(table);
}

}  // namespace aisp::tile::device
