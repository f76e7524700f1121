// Both atoms on bf16, in and out.
#include "chapters/ch09/tile_gemm/tile_gemm.cuh"

using namespace aisp;

lab::Run ch09::run_bf16(Atom atom) {
  return run_product<tile::Element::bf16, tile::Element::bf16>(atom);
}
