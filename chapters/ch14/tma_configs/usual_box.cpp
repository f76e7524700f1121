// Rung 0: one box for everything, that of a bf16 matrix product: 64 rows of 128 swizzled bytes,
// four stages, a block per multiprocessor.
#include "chapters/ch14/tma_configs/copy.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch14::run_copy(setup, {.mode = ch14::BoxMode::tile,
                                .rank = 2,
                                .width = 128,
                                .rows = 64,
                                .swizzle = 128,
                                .stages = 4,
                                .blocks = 1});
}

const lab::RungEntry entry{"ch14:tma_configs",
                           {.name = "usual_box",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one box for everything: 64 rows of 128 swizzled bytes, four "
                                    "stages, one block",
                            .look_at = "32 KiB in flight per multiprocessor, however large it is",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
