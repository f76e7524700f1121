// expect: TileK<tile_k, step_k>::Said [with tile_k=40, step_k=16]
// A kernel made of building blocks: nobody wrote an assertion but they.
#include "examples/own_gemm/kernel.cuh"

using namespace aisp::tile;

struct Own {
  static constexpr Sm90Config config{.tile_n = 128, .tile_k = 40};
};
void run(const own_gemm::Params& params) { own_gemm::kernel<Own><<<1, 384>>>(params); }
