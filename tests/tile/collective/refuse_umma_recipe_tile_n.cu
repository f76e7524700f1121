// expect: UmmaTileN<tile_n, step>::Said [with tile_n=100, step=16]
// A recipe whose kernel would be wrong in every part: the first broken rule is all that is said.
#include "tile/device/gemm/umma_plan.cuh"

using namespace aisp::tile;

constexpr UmmaConfig config{.tile_n = 100};
struct Wrong : UmmaRecipe<config, Accumulator, Persistent> {};
device::GemmRun make(const device::GemmProblem& problem) {
  return device::umma_plan<Wrong>(problem);
}
