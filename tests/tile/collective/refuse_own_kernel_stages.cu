// expect: SharedMemory<shared_memory, budget>::Said [with shared_memory=
// A kernel made of building blocks: nobody wrote an assertion but they.
#include "examples/own_gemm/kernel.cuh"

using namespace aisp::tile;

struct Own {
  static constexpr Sm90Config config{.tile_n = 128, .stages = 9};
};
void run(const own_gemm::Params& params) { own_gemm::kernel<Own><<<1, 384>>>(params); }
