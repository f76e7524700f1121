// expect: EqualWidths<a, b>::Said [with a=aisp::tile::Element::s8, b=aisp::tile::Element::bf16]
// A kernel made of building blocks: nobody wrote an assertion but they.
#include "examples/own_gemm/kernel.cuh"

using namespace aisp::tile;

struct Own {
  static constexpr Sm90Config config{.a = Element::s8, .tile_n = 128};
};
void run(const own_gemm::Params& params) { own_gemm::kernel<Own><<<1, 384>>>(params); }
