// Rung 1: the largest chunks, on two streams: what copies alone want. A small request is one chunk
// then, and nothing in it overlaps.
#include "chapters/ch11/adaptive_streams/load.hpp"
#include "chapters/ch11/adaptive_streams/one_setting.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto limits = ch11::limits_of(ch11::LoadSize(setup.problem().size));
  return ch11::run_one_setting(setup, {limits.most_chunk, 2});
}

const lab::RungEntry entry{"ch11:adaptive_streams",
                           {.name = "few_large",
                            .step = 1,
                            .builds_on = "fixed",
                            .idea = "chunks of 16 MiB on two streams",
                            .look_at = "bulk near the link's rate; requests wait for whole copies",
                            .prepare = prepare}};

}  // namespace
