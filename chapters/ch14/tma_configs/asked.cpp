// Rung 1: the configuration that the size names. A sweep over it is the map of where TMA is fast.
#include "chapters/ch14/tma_configs/copy.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const ch14::CopyConfig config = ch14::config_of(setup.problem().size);
  setup.figure("in flight", "KiB",
               [kibibytes = config.box_bytes() * config.stages * config.blocks / 1024.0] {
                 return kibibytes;
               });
  return ch14::run_copy(setup, config);
}

const lab::RungEntry entry{"ch14:tma_configs",
                           {.name = "asked",
                            .step = 1,
                            .builds_on = "usual_box",
                            .idea = "box, swizzle, stages, blocks and rank as the size says",
                            .look_at = "GB/s by box and bytes in flight: where it falls off",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
