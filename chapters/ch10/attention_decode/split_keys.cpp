// Rung 1: the keys of all heads, one after another, are cut into equal slices for the blocks; the
// query heads that share keys are rows of one tile. A second kernel merges what was cut.
#include "chapters/ch10/common/attention_library.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch10::run_attention(setup, tile::device::plan_attention, ch10::WorkspaceHolds::results);
}

const lab::RungEntry entry{"ch10:attention_decode",
                           {.name = "split_keys",
                            .step = 1,
                            .builds_on = "one_block_per_head",
                            .idea = "equal slices of all keys for all blocks, merged afterwards",
                            .look_at = "bytes per second; every key is read once",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
