// Rung 2: small chunks on all streams: what small requests want. In bulk the cost of starting a
// copy counts, and with much arithmetic there are too few rows under way.
#include <algorithm>

#include "chapters/ch11/adaptive_streams/load.hpp"
#include "chapters/ch11/adaptive_streams/one_setting.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto limits = ch11::limits_of(ch11::LoadSize(setup.problem().size));
  const std::int64_t chunk = 2 * limits.least_chunk;
  const auto that_fit = static_cast<int>(limits.memory / chunk);
  return ch11::run_one_setting(setup, {chunk, std::min(that_fit, limits.most_streams)});
}

const lab::RungEntry entry{"ch11:adaptive_streams",
                           {.name = "many_small",
                            .step = 2,
                            .builds_on = "fixed",
                            .idea = "chunks of 512 KiB on eight streams",
                            .look_at = "requests overlap well; the gaps between copies in bulk",
                            .prepare = prepare}};

}  // namespace
