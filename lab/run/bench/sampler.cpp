#include "lab/run/bench/sampler.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/measure/statistics.hpp"

namespace aisp::lab {
namespace {

// Work that does not wait for the launch stream has this long to finish before the outputs are
// poisoned. What takes longer is still running when the end event completes.
constexpr double head_start_ms = 5;

// On an H200 the host needs 0.7 to 2.7 us in the median to see that a device is idle. Behind runs
// of many milliseconds, or of hundreds of launches, it needs 10 to 17 us. A rung is judged by the
// median of its samples, which single late calls do not change.
constexpr double idle_call_ms = 0.01;
constexpr double certain_ms = 1;   // no call that waits for an idle device takes that long
constexpr std::size_t enough = 3;  // samples for a median on a GPU
constexpr int lingering_runs = 7;

}  // namespace

Sampler::Sampler(Device& device, Buffers& buffers, AsTimed& as_timed, L2Mode l2)
    : device_(device), buffers_(buffers), as_timed_(as_timed) {
  // The simulator has no caches and the same time for the same work: nothing to flush.
  if (l2 == L2Mode::cold && !device.info().simulated)
    flush_ = std::make_unique<Buffer>(
        device, static_cast<std::size_t>(flush_bytes(device.info().l2_bytes)));
}

void Sampler::flush_l2() {
  if (flush_) device_.fill(flush_->get(), 0, flush_->bytes());
}

Timed Sampler::take(Contender& contender, int set, const std::function<void()>& ready,
                    const std::function<void()>& meanwhile) {
  Timed timed = take_lingering(contender, set, 0, ready, meanwhile);
  contender.busy_after.push_back(timed.busy_after_ms);
  timed.ms = contender.sample_of(timed.ms);
  return timed;
}

Timed Sampler::take_lingering(Contender& contender, int set, double linger_ms,
                              const std::function<void()>& ready,
                              const std::function<void()>& meanwhile) {
  contender.before(buffers_.launch(set));
  // Poison first: the flush then evicts what the poison left in L2. The other modes are about what
  // L2 holds, so their outputs are poisoned once, before timing.
  if (flush_) buffers_.poison(set);
  flush_l2();
  ready();
  // The flush keeps the device busy while the host enqueues what follows; without it the stream is
  // held back. What works on the host meanwhile would wait for itself.
  const bool held = !flush_ && !contender.rung().blocks_host;
  return device_.time({.work = [&] { as_timed_.enqueue(contender, set); },
                       .meanwhile = meanwhile,
                       .start = held ? Start::held : Start::at_once,
                       .linger_ms = linger_ms});
}

void Sampler::judge(Contender& contender, int set, Sample sample) {
  const Launch launch = buffers_.launch(set);
  // Nothing waits for the poison on the host: a step of the rung that does not wait for the launch
  // stream runs too early.
  sample.first = [&, then = std::move(sample.first)] {
    contender.poison(launch);
    buffers_.poison(set);
    then();
  };
  sample.last = [&] {
    if (!contender.has_own_outputs()) buffers_.keep_outputs(set);
  };
  contender.busy_after.push_back(device_.time(sample).busy_after_ms);
  if (contender.has_own_outputs()) {
    contender.collect(launch);
    buffers_.keep_outputs(set);
  }
  device_.synchronize();
}

void Sampler::launch_judged(Contender& contender, int set,
                            const std::function<void()>& after_hook) {
  const Launch launch = buffers_.launch(set);
  contender.before(launch);
  after_hook();
  judge(contender, set, {.work = [&] { contender.run(launch); }});
}

void Sampler::take_judged(Contender& contender, int set, const std::function<void()>& after_hook,
                          const std::function<void()>& first) {
  contender.before(buffers_.launch(set));
  after_hook();
  // The poison waits behind the gate: work that does not wait for the launch stream is finished by
  // then, and what it wrote is lost.
  const bool held = !contender.rung().blocks_host;
  judge(contender, set,
        {.first =
             [&] {
               first();
               flush_l2();
             },
         .work = [&] { as_timed_.enqueue(contender, set); },
         .start = held ? Start::held : Start::at_once,
         .hold_ms = held ? head_start_ms : 0});
}

std::string Sampler::unjoined_work(Contender& contender) {
  BusyAfter busy{contender.busy_after};
  const bool simulated = device_.info().simulated;
  if (!simulated && is_undecided(busy)) {
    const double linger_ms = 2 * median(busy.at_once);
    for (int run = 0; run < lingering_runs; ++run)
      busy.lingered.push_back(take_lingering(
                                  contender, 0, linger_ms, [] {}, [] {})
                                  .busy_after_ms);
  }
  return why_unjoined(busy, simulated);
}

bool is_undecided(const BusyAfter& busy) {
  if (busy.at_once.size() < enough) return false;
  const double after = median(busy.at_once);
  return after > idle_call_ms && after <= certain_ms;
}

std::string why_unjoined(const BusyAfter& busy, bool simulated) {
  const auto& after = busy.at_once;
  if (after.size() < (simulated ? 1 : enough)) return "";
  // The simulator's clock is exact: one sample is enough.
  double longest = simulated ? *std::max_element(after.begin(), after.end()) : median(after);
  if (longest <= (simulated ? 0 : idle_call_ms)) return "";
  if (!simulated && !busy.lingered.empty()) {
    longest -= median(busy.lingered);
    if (longest <= idle_call_ms) return "";
  }
  return base::say("work that it enqueued was still running when its end event completed, ",
                   simulated ? "up to " : "in the median ", base::duration(longest),
                   " longer: a run must make launch.stream wait for every other stream that it "
                   "uses, by cudaEventRecord and cudaStreamWaitEvent");
}

}  // namespace aisp::lab
