// expect: TileN<tile_n>::Said [with tile_n=100]
// A recipe whose kernel would be wrong in every part: the first broken rule is all that is said.
#include "tile/device/gemm/plan_sm90.cuh"

using namespace aisp::tile;

constexpr Sm90Config config{.tile_n = 100};
struct Wrong : Sm90Recipe<config, Accumulator, Persistent> {};
device::PlannedRun make(const device::GemmProblem& problem) { return device::plan<Wrong>(problem); }
