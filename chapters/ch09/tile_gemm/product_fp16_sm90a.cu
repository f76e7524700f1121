// Both atoms on fp16, in and out.
#include "chapters/ch09/tile_gemm/tile_gemm.cuh"

using namespace aisp;

lab::Run ch09::run_fp16(Atom atom) {
  return run_product<tile::Element::f16, tile::Element::f16>(atom);
}
