// expect: UmmaResidents<2, 512, 512>
// Two blocks share the columns of a multiprocessor.
#include "tile/collective/umma_rules.hpp"

using namespace aisp::tile;

static_assert(umma_admitted<UmmaConfig{.tile_n = 256, .stages = 1, .residents = 2}>);
