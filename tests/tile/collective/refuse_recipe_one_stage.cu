// expect: StagesAhead<stages>::Said [with stages=1]
// With one slot the main loop would wait for a second one that nobody can fill.
#include "tile/device/gemm/plan_sm90.cuh"

using namespace aisp::tile;

constexpr Sm90Config config{.tile_n = 128, .stages = 1};
struct Wrong : Sm90Recipe<config, Accumulator, Persistent> {};
device::PlannedRun make(const device::GemmProblem& problem) { return device::plan<Wrong>(problem); }
