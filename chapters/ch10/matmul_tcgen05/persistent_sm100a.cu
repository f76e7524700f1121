// Rung 3: as many blocks as fit walk over the tiles. Barriers and tensor memory are set up once,
// and the next tile's loads run under the stores of this one; its products wait for the
// accumulator.
#include "chapters/common/tcgen05_rung.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100Config config{.stages = 4, .accumulators = 1, .store = tile::Store::direct};

struct PersistentRecipe : tile::Sm100Recipe<config, tile::Accumulator, tile::Persistent> {};

const lab::RungEntry entry{
    "ch10:matmul_tcgen05",
    {.name = "persistent",
     .step = 3,
     .builds_on = "roles",
     .idea = "one block per multiprocessor takes tile after tile",
     .look_at = "the ring is full when a tile begins; the issuer waits while a tile is stored",
     .needs = lab::Needs::sm_100a,
     .prepare = chapters::run_tcgen05_row_by_row<PersistentRecipe>}};

}  // namespace
