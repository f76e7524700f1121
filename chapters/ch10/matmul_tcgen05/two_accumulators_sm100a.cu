// Rung 4: tensor memory holds two tiles of 128 columns: one goes out while the other is computed.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 4, .accumulators = 2, .store = tile::Store::direct};

struct TwoAccumulatorsRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{"ch10:matmul_tcgen05",
                           {.name = "two_accumulators",
                            .step = 4,
                            .builds_on = "persistent",
                            .idea = "one tile goes out of tensor memory while the next is computed",
                            .look_at = "256 of 512 columns; the issuer waits no more for stores",
                            .needs = lab::Needs::sm_100a,
                            .prepare = chapters::run_tcgen05_row_by_row<TwoAccumulatorsRecipe>}};

}  // namespace
