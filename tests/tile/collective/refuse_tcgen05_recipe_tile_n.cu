// expect: Tcgen05TileN<tile_n, step>::Said [with tile_n=100, step=16]
// A recipe whose kernel would be wrong in every part: the first broken rule is all that is said.
#include "tile/device/gemm/plan_sm100.cuh"

using namespace aisp::tile;

constexpr Sm100Config config{.tile_n = 100};
struct Wrong : Sm100Recipe<config, Accumulator, Persistent> {};
device::PlannedRun make(const device::GemmProblem& problem) { return device::plan<Wrong>(problem); }
