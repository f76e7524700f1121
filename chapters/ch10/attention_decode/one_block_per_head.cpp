// Rung 0: the kernel for many queries. A tile of 128 rows holds one of them, and a block walks over
// all keys of its head, however few heads there are.
#include "chapters/ch10/common/attention_library.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/attention/instances.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch10::run_attention(setup, tile::device::plan_forward);
}

const lab::RungEntry entry{"ch10:attention_decode",
                           {.name = "one_block_per_head",
                            .step = 0,
                            .builds_on = "",
                            .idea = "the kernel for many queries, a block for each query head",
                            .look_at = "heads that share keys read them each; idle multiprocessors",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
