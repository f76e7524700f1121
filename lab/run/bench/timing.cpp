#include "lab/run/bench/timing.hpp"

#include <algorithm>
#include <optional>

#include "lab/measure/interleave.hpp"
#include "lab/run/bench/counting.hpp"

namespace aisp::lab {
namespace {

// Counted, not measured: they differ only by the inputs. As many as a comparison of runs asks for.
constexpr int simulated_samples = 5;

}  // namespace

Timing::Timing(Device& device, Buffers& buffers, Sampler& sampler, ThrottleWatch& watch,
               const Job& job, const Emit& emit)
    : device_(device), buffers_(buffers), sampler_(sampler), watch_(watch), job_(job), emit_(emit) {
  for (int set = 0; set < buffers.sets(); ++set) buffers.poison(set);
}

Timed Timing::sample(Contender& contender, int set) {
  std::optional<CountedRun> counted;
  const auto start_counting = [&] {
    if (!device_.info().simulated || !contender.counts.empty()) return;
    device_.synchronize();
    counted.emplace();
  };
  const Timed timed = sampler_.take(contender, set, start_counting, [&] { watch_.observe(); });
  if (counted) contender.counts = counted->read();
  return timed;
}

void Timing::warm_up(Contender& contender) {
  emit_.phase({contender.name(), "warm-up", 0.3});
  if (device_.info().simulated && job_.warmup == 0) return;
  const auto rule = job_.warmup > 0 ? std::unique_ptr<StopRule>(new Exactly(job_.warmup))
                                    : std::unique_ptr<StopRule>(new Warmup);
  for (int run = 0; !rule->done(); ++run) rule->add(sample(contender, run % buffers_.sets()).ms);
  watch_.mark();  // what was seen while warming up belongs to no sample
}

std::unique_ptr<StopRule> Timing::stop_rule() const {
  if (job_.iterations > 0) return std::make_unique<Exactly>(job_.iterations);
  if (device_.info().simulated) return std::make_unique<Exactly>(simulated_samples);
  return std::make_unique<UntilSteady>();
}

void Timing::measure(const std::vector<Contender*>& contenders, int attempt,
                     const std::pair<double, double>& done) {
  const Interleave order(static_cast<int>(contenders.size()));
  std::vector<std::unique_ptr<StopRule>> rules;
  for (std::size_t i = 0; i < contenders.size(); ++i) rules.push_back(stop_rule());
  const auto all_done = [&] {
    return std::all_of(rules.begin(), rules.end(), [](const auto& rule) { return rule->done(); });
  };
  std::int64_t taken = 0;
  const double expected = job_.iterations > 0 ? job_.iterations : 50.0;
  for (std::int64_t turn = 0; !all_done(); ++turn) {
    const auto who = static_cast<std::size_t>(order.rung(turn));
    if (rules[who]->done()) continue;
    Contender& contender = *contenders[who];
    const auto index = static_cast<int>(contender.samples.size());
    const double progress = std::min(1.0, index / expected);
    emit_.phase({contender.name(), "timing", done.first + (done.second - done.first) * progress});
    // Counted over all rungs: otherwise one rung finds the set that the other has just used in L2.
    const auto set = static_cast<int>(taken++ % buffers_.sets());
    const auto [ms, sm_mhz, host_ms, busy_after] = sample(contender, set);
    contender.read_figures();
    const Mark mark = watch_.mark();
    rules[who]->add(ms);
    contender.samples.push_back(ms);
    if (host_ms && ms > 0) contender.host_shares.push_back(*host_ms / ms);
    contender.throttled += mark.throttled ? 1 : 0;
    emit_.record(SampleRecord{.entry = job_.entry.entry,
                              .rung = contender.name(),
                              .attempt = attempt,
                              .index = index,
                              .ms = ms,
                              .sm_mhz = sm_mhz,
                              .watts = {},
                              .celsius = mark.reading.celsius,
                              .host_ms = host_ms,
                              .throttle = mark.reasons});
  }
}

}  // namespace aisp::lab
