// expect: TmemApart<aisp::tile::TmemName{"scores"}, 0, 128, aisp::tile::TmemName{"sums"}, 96, 352>
#include "tile/pipeline/tmem_plan.hpp"

using namespace aisp::tile;

constexpr TmemPlan plan = TmemPlan{}.with("scores", 128).with("sums", 96, 256);
static_assert(admitted_tmem<plan>);
