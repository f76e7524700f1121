// Rung 3: a controller reads the times of chunks that have left, and says how large the next ones
// are and how many streams take them. Every run begins with the setting of rung 0 and a controller
// that knows nothing of the load.
#include <algorithm>
#include <memory>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "chapters/ch11/adaptive_streams/lanes.hpp"
#include "chapters/ch11/adaptive_streams/telemetry.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch11;

// Requests of few chunks that look like the one before are measured now and then only: to record
// four moments of every chunk would cost them a few per cent.
constexpr std::int64_t few_chunks = 8, measured_every = 4;

struct State {
  State(lab::Setup& lab, const LoadSize& size)
      : setup(lab),
        phases(phases_of(size)),
        limits(limits_of(size)),
        first{size.chunk, static_cast<int>(size.streams)},
        lanes(lab, limits),
        clock(lab) {}

  lab::Setup& setup;
  std::array<std::vector<Request>, phase_count> phases;
  Limits limits;
  Setting first;
  Lanes lanes;
  PhaseClock clock;
  Telemetry telemetry;
};

std::string text_of(const Setting& setting) {
  return base::say(setting.chunk >> 10, " KiB x ", setting.streams);
}

class AdaptiveRun {
 public:
  AdaptiveRun(State& state, const lab::Launch& launch)
      : state_(state), launch_(launch), controller_(state.limits, state.first) {}

  void run() {
    std::string settings;
    state_.telemetry.begin_run(launch_.stream);
    state_.clock.record(0, launch_.stream);
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
      for (const Request& request : state_.phases[phase]) run(phase_names[phase], request);
      state_.clock.record(static_cast<int>(phase) + 1, launch_.stream);
      settings += base::say(phase == 0 ? "" : ", ", phase_names[phase], " ",
                            text_of(state_.lanes.setting()));
    }
    state_.setup.note("ended in " + settings);
  }

 private:
  void run(const char* phase, const Request& request) {
    const std::int64_t bytes = request.rows * row_bytes;
    state_.lanes.begin_request(launch_.stream);
    state_.telemetry.begin_request(worth_measuring(bytes));
    for (std::int64_t row = 0; row < request.rows;) {
      state_.telemetry.collect(controller_, state_.lanes.setting(), row > 0);
      decide(phase, bytes, (request.rows - row) * row_bytes);
      const std::int64_t rows =
          std::min(state_.lanes.setting().chunk / row_bytes, request.rows - row);
      state_.lanes.enqueue(launch_, {request.first + row, rows, request.steps},
                           state_.telemetry.next(rows * row_bytes));
      row += rows;
    }
    state_.lanes.end_request(launch_.stream);
  }

  void decide(const char* phase, std::int64_t bytes, std::int64_t left) {
    const Setting setting =
        controller_.choose(static_cast<double>(bytes), static_cast<double>(left));
    if (setting == state_.lanes.setting()) return;
    lab::mark(base::say(phase, ": chunks of ", text_of(setting), " streams"));
    state_.lanes.use(setting);
  }

  bool worth_measuring(std::int64_t bytes) {
    const bool alike = bytes == last_bytes_;
    last_bytes_ = bytes;
    alike_ = alike ? alike_ + 1 : 0;
    return bytes > few_chunks * state_.lanes.setting().chunk || alike_ % measured_every == 0;
  }

  State& state_;
  const lab::Launch& launch_;
  Controller controller_;
  std::int64_t last_bytes_ = 0, alike_ = 0;
};

lab::Run prepare(lab::Setup& setup) {
  const auto state = std::make_shared<State>(setup, LoadSize(setup.problem().size));
  return [state](const lab::Launch& launch) { AdaptiveRun(*state, launch).run(); };
}

const lab::RungEntry entry{
    "ch11:adaptive_streams",
    {.name = "adaptive",
     .step = 3,
     .builds_on = "fixed",
     .idea = "chunk size and stream count follow measured copy and kernel times",
     .look_at = "the marks in the trace: a change or two at the beginning of a phase, then rest",
     .blocks_host = true,
     .prepare = prepare}};

}  // namespace
