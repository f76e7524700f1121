// Rung 2: a second accumulator: all three roles work at once, on up to three tiles.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 4, .accumulators = 2, .store = tile::Store::direct};

struct StoreBesideRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:tcgen05_warp_specialization",
    {.name = "store_beside",
     .step = 2,
     .builds_on = "load_and_multiply",
     .idea = "two accumulators: stores run beside the products of the next tile",
     .look_at = "the issuer waits for nothing but full buffers",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<StoreBesideRecipe>}};

}  // namespace
