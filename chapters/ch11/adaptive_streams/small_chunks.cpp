// Rung 1: small chunks on two streams: what small requests want. In bulk the cost of starting a
// copy counts, and where there is much arithmetic most multiprocessors have nothing to do.
#include "chapters/ch11/adaptive_streams/fixed.hpp"
#include "chapters/ch11/adaptive_streams/load.hpp"
#include "lab/case/registry.hpp"

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto limits = ch11::limits_of(ch11::LoadSize(setup.problem().size));
  return ch11::run_fixed(setup, {ch11::shrunk(limits, 16), 2});
}

const lab::RungEntry entry{
    "ch11:adaptive_streams",
    {.name = "small_chunks",
     .step = 1,
     .builds_on = "fixed",
     .idea = "chunks of 1 MiB on two streams",
     .look_at = "requests overlap well; the deep phase is three times as long",
     .prepare = prepare}};

}  // namespace
