// Both atoms on fp32 data; the matrix unit reads the upper 19 bits of a factor, an FMA all of it.
#include "chapters/ch09/tile_gemm/tile_gemm.cuh"

using namespace aisp;

lab::Run ch09::run_tf32(Atom atom) {
  return run_product<tile::Element::tf32, tile::Element::f32>(atom);
}
