// expect: TmemFits<640, 512>
#include "tile/pipeline/tmem_plan.hpp"

using namespace aisp::tile;

constexpr TmemPlan plan = TmemPlan{}.with("scores", 128).with("sums", 512);
static_assert(admitted_tmem<plan>);
