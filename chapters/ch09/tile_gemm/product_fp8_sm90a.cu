// Both atoms on e4m3 with a bf16 result.
#include "chapters/ch09/tile_gemm/tile_gemm.cuh"

using namespace aisp;

lab::Run ch09::run_fp8(Atom atom) {
  return run_product<tile::Element::e4m3, tile::Element::bf16>(atom);
}
