// Rung 2: chunks in the middle on all streams: what much arithmetic wants, because the kernels of
// one chunk fill a part of the device only.
#include "chapters/ch11/adaptive_streams/fixed.hpp"
#include "chapters/ch11/adaptive_streams/load.hpp"
#include "lab/case/registry.hpp"

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto limits = ch11::limits_of(ch11::LoadSize(setup.problem().size));
  return ch11::run_fixed(setup, {ch11::shrunk(limits, 8), limits.most_streams});
}

const lab::RungEntry entry{"ch11:adaptive_streams",
                           {.name = "many_streams",
                            .step = 2,
                            .builds_on = "fixed",
                            .idea = "chunks of 2 MiB on eight streams",
                            .look_at = "the deep phase; a request of 2 MiB is one chunk here",
                            .prepare = prepare}};

}  // namespace
