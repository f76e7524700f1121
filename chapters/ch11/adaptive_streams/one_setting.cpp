#include "chapters/ch11/adaptive_streams/one_setting.hpp"

#include <algorithm>
#include <memory>

#include "chapters/ch11/adaptive_streams/lanes.hpp"

namespace aisp::ch11 {
namespace {

struct State {
  State(lab::Setup& setup, const LoadSize& size)
      : phases(phases_of(size)), lanes(setup, limits_of(size)), clock(setup) {}
  std::array<std::vector<Request>, phase_count> phases;
  Lanes lanes;
  PhaseClock clock;
};

void run_request(Lanes& lanes, const lab::Launch& launch, const Request& request) {
  const std::int64_t at_once = lanes.setting().chunk / row_bytes;
  lanes.begin_request(launch.stream);
  for (std::int64_t row = 0; row < request.rows; row += at_once)
    lanes.enqueue(launch,
                  {request.first + row, std::min(at_once, request.rows - row), request.steps});
  lanes.end_request(launch.stream);
}

}  // namespace

lab::Run run_one_setting(lab::Setup& setup, const Setting& setting) {
  const auto state = std::make_shared<State>(setup, LoadSize(setup.problem().size));
  state->lanes.use(setting);
  return [state](const lab::Launch& launch) {
    state->clock.record(0, launch.stream);
    for (int phase = 0; phase < phase_count; ++phase) {
      for (const Request& request : state->phases[static_cast<std::size_t>(phase)])
        run_request(state->lanes, launch, request);
      state->clock.record(phase + 1, launch.stream);
    }
  };
}

}  // namespace aisp::ch11
