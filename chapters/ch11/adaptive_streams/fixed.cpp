// Rung 0: one setting for the whole load, which the size says: by default one that a person who
// knows the link would try first.
#include "chapters/ch11/adaptive_streams/load.hpp"
#include "chapters/ch11/adaptive_streams/one_setting.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const ch11::LoadSize size(setup.problem().size);
  return ch11::run_one_setting(setup, {size.chunk, static_cast<int>(size.streams)});
}

const lab::RungEntry entry{"ch11:adaptive_streams",
                           {.name = "fixed",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one chunk size and stream count for the whole load",
                            .look_at = "the figures of the phases: no setting is best in all",
                            .prepare = prepare}};

}  // namespace
