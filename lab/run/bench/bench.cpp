#include "lab/run/bench/bench.hpp"

#include <cuda_profiler_api.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/catalog.hpp"
#include "lab/case/range.hpp"
#include "lab/case/registry.hpp"
#include "lab/device/description.hpp"
#include "lab/device/simulator.hpp"
#include "lab/judge/inputs.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/profile/kernels.hpp"
#include "lab/profile/ncu/tool.hpp"
#include "lab/run/bench/as_timed.hpp"
#include "lab/run/bench/checks.hpp"
#include "lab/run/bench/contender.hpp"
#include "lab/run/bench/counting.hpp"
#include "lab/run/bench/gauge.hpp"
#include "lab/run/bench/sampler.hpp"
#include "lab/run/bench/summary.hpp"
#include "lab/run/bench/timing.hpp"
#include "lab/run/bench/tracing.hpp"

namespace aisp::lab {
namespace {

const Target& target_of(const std::string& id) {
  const Target* target = find_target(id);
  if (target == nullptr) base::refuse(base::Exit::usage, "this build has no target ", id);
  return *target;
}

const Rung& find_rung(const Target& target, const std::string& name) {
  for (const auto& rung : rungs_of(target))
    if (rung.name == name) return rung;
  base::refuse(base::Exit::usage, target.id(), " has no rung ", name);
}

// Fewer counted instructions need not be less time: a simulated row says what it did and not how
// much faster that is.
void forget_comparison(RowRecord& row) {
  row.speedup = row.speedup_low = row.speedup_high = 0;
  row.verdict.reset();
  row.p_value = 1;
}

// One attempt at one entry. Contenders leave `alive_` when their row is written.
class Attempt {
 public:
  Attempt(Device& device, const Job& job, const Emit& emit)
      : device_(device),
        job_(job),
        emit_(emit),
        target_(target_of(job.entry.target)),
        problem_(target_.problem({job.entry.variant, job.entry.dims})) {}

  void run();
  // Each rung once for a profiler that looks in from outside.
  void run_for_counters();

 private:
  // Other inputs for every purpose, all from the run's seed.
  std::uint64_t seed_for_set(int set) const { return job_.seed * 1'000'003 + 2 * set; }
  std::uint64_t seed_after() const { return job_.seed * 1'000'003 + 1; }

  void admit();
  Buffers make_buffers();
  void check_all(Checks& checks, Sampler& sampler, CheckTime when);
  void time_all(Buffers& buffers, AsTimed& as_timed, Sampler& sampler);
  void take_bursts(Buffers& buffers, AsTimed& as_timed, Gauge& gauge);
  void self_check(Timing& timing);
  std::optional<Ceilings> stored_ceilings() const;
  std::string note_of(const Contender& contender, const RowRecord& row) const;
  void write_rows(const Buffers& buffers);
  void profile_all(Buffers& buffers);
  void trace_all(Buffers& buffers);
  void tell_counts();
  // Calls `body` for each living contender; one that throws gets a row and leaves.
  template <class Body>
  void for_each_alive(const std::string& what, double share, const Body& body);
  void leave(const Contender& contender, RowStatus status, const std::string& reason);
  void fail(const Contender& contender, const std::string& what, const std::exception& error);
  RowRecord row_of(const Contender& contender) const;

  Device& device_;
  const Job& job_;
  const Emit& emit_;
  const Target& target_;
  const Problem problem_;
  std::vector<std::unique_ptr<Contender>> alive_;
};

RowRecord Attempt::row_of(const Contender& contender) const {
  RowRecord row;
  row.entry = job_.entry.entry;
  row.rung = contender.name();
  row.attempt = job_.attempt;
  row.peer = contender.rung().peer;
  return row;
}

void Attempt::leave(const Contender& contender, RowStatus status, const std::string& reason) {
  RowRecord row = row_of(contender);
  row.status = status;
  row.reason = reason;
  emit_.record(row);
}

template <class Body>
void Attempt::for_each_alive(const std::string& what, double share, const Body& body) {
  std::erase_if(alive_, [&](auto& contender) {
    emit_.phase({contender->name(), what, share});
    try {
      return !body(*contender);
    } catch (const base::Refusal& refusal) {  // a missing library, a shape it does not take
      leave(*contender, RowStatus::skipped, refusal.what());
    } catch (const std::exception& error) {
      fail(*contender, what, error);
      device_.synchronize();  // throws when the error has cost us the context
    }
    return true;
  });
}

void Attempt::fail(const Contender& contender, const std::string& what,
                   const std::exception& error) {
  const std::string note = take_simulator_note();
  const auto* cuda = dynamic_cast<const CudaError*>(&error);
  // An instruction that the simulator does not model is no fault of the rung.
  if (device_.info().simulated && cuda != nullptr && cuda->code == cudaErrorInvalidPtx)
    return leave(contender, RowStatus::skipped, note.empty() ? error.what() : note);
  leave(contender, RowStatus::failed,
        base::say(error.what(), " during ", what, note.empty() ? "" : ": ", note));
}

void Attempt::admit() {
  AttemptRecord record{
      .entry = job_.entry.entry,
      .attempt = job_.attempt,
      .rungs = job_.rungs,
      .flops = problem_.flops,
      .bytes = problem_.bytes,
      .unit = problem_.unit == Unit::none ? "" : std::string(name_of(problem_.unit))};
  emit_.record(record);
  const DeviceRecord& info = device_.info();
  for (const auto& name : job_.rungs) {
    const Rung& rung = find_rung(target_, name);
    auto contender = std::make_unique<Contender>(device_, problem_, rung, name);
    if (!runs_on(rung.needs, info.major, info.minor))
      leave(*contender, RowStatus::skipped,
            base::say("needs ", name_of(rung.needs), "; ", info.name, " is sm_", info.major,
                      info.minor));
    else if (rung.blocks_host && job_.timer == Timer::graph)
      leave(*contender, RowStatus::skipped,
            "needs --timer events: it works on the host too, which a graph cannot record");
    else
      alive_.push_back(std::move(contender));
  }
}

Buffers Attempt::make_buffers() {
  std::int64_t bytes = 0;
  for (const auto& input : problem_.inputs) bytes += input.bytes();
  for (const auto& output : problem_.outputs) bytes += output.tensor.bytes();
  // A tenth stays free for scratch, the flush buffer and libraries' workspaces.
  auto budget = static_cast<std::int64_t>(0.9 * static_cast<double>(device_.free_bytes()));
  for (const auto& output : problem_.outputs) budget -= output.tensor.bytes();  // the kept ones
  const int sets = buffer_sets(job_.l2, bytes, device_.info().l2_bytes, budget);
  return {device_, problem_, sets};
}

void Attempt::check_all(Checks& checks, Sampler& sampler, CheckTime when) {
  const bool first = when == CheckTime::before;
  emit_.phase({"", base::say("reference ", name_of(when)), first ? 0.05 : 0.85});
  first ? checks.begin_before(seed_for_set(0)) : checks.begin_after();
  for_each_alive(base::say("check ", name_of(when)), first ? 0.2 : 0.9, [&](Contender& contender) {
    const std::string wrong = checks.check(contender);
    const std::string unjoined = sampler.unjoined_work(contender);
    if (!unjoined.empty())  // and why it may be wrong too
      leave(contender, RowStatus::refused, unjoined);
    else if (!wrong.empty())
      leave(contender, RowStatus::wrong, wrong);
    return wrong.empty() && unjoined.empty();
  });
}

void Attempt::self_check(Timing& timing) {
  Contender again(device_, problem_, alive_.front()->rung(), alive_.front()->name() + " again");
  again.prepare();
  const std::vector<Contender*> twins{alive_.front().get(), &again};
  for (int repetition = 1; repetition <= job_.self_check; ++repetition) {
    for (auto* twin : twins) twin->samples.clear();
    const double share = 0.3 + 0.5 * repetition / job_.self_check;
    timing.measure(twins, repetition, {share, share});
  }
}

void Attempt::time_all(Buffers& buffers, AsTimed& as_timed, Sampler& sampler) {
  const NvmlOpened nvml = open_gauge(device_.info());
  ThrottleWatch watch(nvml.gauge.get(), nvml.problem);
  Timing timing(device_, buffers, sampler, watch, job_, emit_);
  for_each_alive("warm-up", 0.3, [&](Contender& contender) {
    timing.warm_up(contender);
    return true;
  });
  if (alive_.empty()) return;
  if (job_.self_check > 0) return self_check(timing);
  std::vector<Contender*> contenders;
  for (const auto& contender : alive_) contenders.push_back(contender.get());
  timing.measure(contenders, job_.attempt, {0.35, 0.8});
  if (nvml.gauge) take_bursts(buffers, as_timed, *nvml.gauge);
}

// Alternating sets, as the samples do; a few runs between two looks at the clock on the wall.
void Attempt::take_bursts(Buffers& buffers, AsTimed& as_timed, Gauge& gauge) {
  constexpr int runs_at_once = 4;
  for_each_alive("burst", 0.82, [&](Contender& contender) {
    int run = 0;
    contender.burst = take_burst(gauge, [&] {
      for (int i = 0; i < runs_at_once; ++i, ++run) {
        const int set = run % buffers.sets();
        contender.before(buffers.launch(set));
        as_timed.enqueue(contender, set);
      }
      device_.synchronize();
    });
    return true;
  });
}

// The ceilings themselves are not judged by older ones, a counted time has no roof, and neither has
// what is not the time of the work.
std::optional<Ceilings> Attempt::stored_ceilings() const {
  if (target_.chapter == roof_chapter || device_.info().simulated || !target_.timed.empty())
    return std::nullopt;
  return load_ceilings(ceilings_path(device_.info().hardware, device_.info().uuid));
}

std::string Attempt::note_of(const Contender& contender, const RowRecord& row) const {
  std::vector<std::string> notes;
  if (!contender.told().empty()) notes.push_back(contender.told());
  if (contender.throttled > 0)
    notes.push_back(base::say("throttled in ", contender.throttled, " of ",
                              contender.samples.size(), " samples"));
  if (bound_by_host(row) && !contender.rung().blocks_host)
    notes.push_back(base::say("bound by the host: enqueueing takes ",
                              std::lround(100 * *row.host_share), " % of its time"));
  if (contender.burst.harmful)
    notes.push_back("throttled in a burst: " + base::join(contender.burst.throttle, ", "));
  if (target_.same_bytes && !contender.rung().peer && !contender.is_baseline() &&
      !contender.bytes_compared)
    notes.push_back("its bytes were compared with nothing: the baseline did not run");
  return base::join(notes, "; ");
}

void Attempt::write_rows(const Buffers& buffers) {
  emit_.phase({"", "summary", 0.95});
  const DeviceRecord& info = device_.info();
  double written = 0;
  for (const auto& output : problem_.outputs) written += static_cast<double>(output.tensor.bytes());
  const RoofContext context{.flops = problem_.flops,
                            .bytes = problem_.bytes,
                            .written_bytes = written,
                            .unit = problem_.unit,
                            .link = {problem_.to_device, problem_.to_host},
                            .ceilings = stored_ceilings(),
                            .l2 = job_.l2,
                            .sets = buffers.sets(),
                            .l2_bytes = info.l2_bytes};
  std::vector<double> baseline;  // without it there is no speed-up to speak of
  for (const auto& contender : alive_)
    if (contender->is_baseline()) baseline = contender->samples;
  for (const auto& contender : alive_) {
    RowRecord row = row_of(*contender);
    if (job_.validate)
      row.status = RowStatus::checked;
    else
      summarize(row, contender->samples, baseline, contender->is_baseline(), context);
    if (info.simulated) forget_comparison(row);
    row.counts = contender->counts;
    if (!contender->host_shares.empty() && !contender->times_itself())
      row.host_share = median(contender->host_shares);
    row.note = note_of(*contender, row);
    row.figures = contender->figures();
    row.watts = contender->burst.watts;
    row.throttle = contender->burst.throttle;
    emit_.record(row);
  }
}

void Attempt::profile_all(Buffers& buffers) {
  for (const auto& contender : alive_) {
    emit_.phase({contender->name(), "profile", 0.97});
    ProfileRecord record{.entry = job_.entry.entry,
                         .rung = contender->name(),
                         .attempt = job_.attempt,
                         .kernels = {}};
    contender->before(buffers.launch(0));
    record.kernels = kernels_of([&] {
      contender->run(buffers.launch(0));
      device_.synchronize();
    });
    emit_.record(record);
  }
}

void Attempt::tell_counts() {
  for (const auto& contender : alive_)
    emit_.record(ProfileRecord{.entry = job_.entry.entry,
                               .rung = contender->name(),
                               .attempt = job_.attempt,
                               .kernels = {},
                               .by = "the simulator",
                               .counters = counters_of(contender->counts)});
}

void Attempt::trace_all(Buffers& buffers) {
  for (const auto& contender : alive_) {
    emit_.phase({contender->name(), "trace", 0.98});
    emit_.record(trace_rung(device_, *contender, buffers, job_));
  }
}

void Attempt::run() {
  admit();
  if (alive_.empty()) return;
  emit_.phase({"", "inputs", 0.01});
  Buffers buffers = make_buffers();
  for (int set = 1; set < buffers.sets(); ++set) buffers.draw(set, seed_for_set(set));
  for_each_alive("preparation", 0.1, [this](Contender& contender) {
    contender.prepare();
    // Otherwise its row would stand in a column of something else.
    if (contender.times_itself() == target_.timed.empty())
      throw std::logic_error("Target::timed and Setup::own_time() belong together");
    return true;
  });
  AsTimed as_timed(device_, buffers, job_.timer);
  Sampler sampler(device_, buffers, as_timed, job_.l2);
  Checks checks(device_, target_, problem_, buffers, sampler, job_, emit_, check_seed());
  check_all(checks, sampler, CheckTime::before);
  checks.plant(seed_after());
  if (!job_.validate) time_all(buffers, as_timed, sampler);
  check_all(checks, sampler, CheckTime::after);
  write_rows(buffers);
  if (job_.profile == Profile::minimal && device_.info().major > 0) profile_all(buffers);
  if (wants_counters(job_.profile) && device_.info().simulated) tell_counts();
  if (!job_.trace.empty()) trace_all(buffers);
}

// The first run of a rung is not counted: it loads code and chooses algorithms.
void Attempt::run_for_counters() {
  admit();
  Buffers buffers = make_buffers();
  buffers.draw(0, seed_for_set(0));
  for_each_alive("preparation", 0.1, [](Contender& contender) {
    contender.prepare();
    return true;
  });
  for (const auto& contender : alive_) {
    const auto place = std::find(job_.rungs.begin(), job_.rungs.end(), contender->name());
    const Launch launch = buffers.launch(0);
    for (const bool counted : {false, true}) {
      contender->before(launch);
      device_.synchronize();
      const Range range(ncu::range_name(static_cast<int>(place - job_.rungs.begin())));
      if (counted) cudaProfilerStart();
      contender->run(launch);
      device_.synchronize();
      if (counted) cudaProfilerStop();
    }
  }
}

}  // namespace

void run_entry(Device& device, const Job& job, const Emit& emit) {
  emit.record(described(device.info()));
  Attempt attempt(device, job, emit);
  if (job.counters)
    attempt.run_for_counters();
  else
    attempt.run();
}

}  // namespace aisp::lab
