// Rung 8: the kernel of rung 7 once per multiprocessor. Blocks take tiles by a counter, those with
// the most keys first, and the next tile's products start beside the last ones of this tile.
#include "chapters/ch10/flash_attention/ping_pong.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "persistent",
     .step = 8,
     .builds_on = "ping_pong",
     .idea = "blocks stay and take tiles by a counter, the longest first under a causal mask",
     .look_at = "132 blocks; short sequences, where a tile's start and end weigh most",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_ping_pong_persistent}};

}  // namespace
