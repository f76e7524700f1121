#include "lab/run/bench.hpp"

#include <algorithm>
#include <optional>

#include "base/refuse.hpp"
#include "lab/case/catalog.hpp"
#include "lab/case/registry.hpp"
#include "lab/device/simulator.hpp"
#include "lab/judge/inputs.hpp"
#include "lab/measure/nvml.hpp"
#include "lab/profile/kernels.hpp"
#include "lab/run/contender.hpp"
#include "lab/run/summary.hpp"
#include "lab/run/timing.hpp"
#include "lab/run/tracing.hpp"

namespace aisp::lab {
namespace {

const Target& find_target(const std::string& id) {
  for (const auto& target : all_targets())
    if (target.id() == id) return target;
  base::refuse(base::Exit::usage, "this build has no target ", id);
}

const Rung& find_rung(const Target& target, const std::string& name) {
  for (const auto& rung : rungs_of(target))
    if (rung.name == name) return rung;
  base::refuse(base::Exit::usage, target.id(), " has no rung ", name);
}

// The ladder's own, whatever --rungs picked.
bool is_baseline(const Contender& contender) {
  return contender.rung().step == 0 && !contender.rung().peer;
}

// One attempt at one entry. Contenders leave `alive_` when their row is written.
class Attempt {
 public:
  Attempt(Device& device, const Job& job, const Emit& emit)
      : device_(device),
        job_(job),
        emit_(emit),
        target_(find_target(job.entry.target)),
        problem_(target_.problem({job.entry.variant, job.entry.dims})) {}

  void run();

 private:
  // Other inputs for every purpose, all from the run's seed.
  std::uint64_t seed_for_set(int set) const { return job_.seed * 1'000'003 + 2 * set; }
  std::uint64_t seed_after() const { return job_.seed * 1'000'003 + 1; }

  void admit();
  Buffers make_buffers();
  void check_all(Buffers& buffers, CheckTime when, const Inputs& inputs, std::uint64_t seed);
  bool check(Contender& contender, Buffers& buffers, CheckTime when, const Inputs& inputs,
             std::uint64_t seed);
  void compare_with_baseline(const Contender& contender, const Buffers& buffers,
                             Judgement& judgement);
  void time_all(Buffers& buffers);
  void self_check(Timing& timing);
  std::optional<Ceilings> stored_ceilings() const;
  void write_rows(const Buffers& buffers);
  void profile_all(Buffers& buffers);
  void trace_all(Buffers& buffers);
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
  std::vector<std::vector<double>> expected_;
  std::vector<HostTensor> baseline_outputs_;  // of the same inputs; empty: nothing to compare with
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
  const auto budget = static_cast<std::int64_t>(0.9 * static_cast<double>(device_.free_bytes()));
  const int sets = buffer_sets(job_.l2, bytes, device_.info().l2_bytes, budget);
  return {device_, problem_, sets};
}

bool Attempt::check(Contender& contender, Buffers& buffers, CheckTime when, const Inputs& inputs,
                    std::uint64_t seed) {
  const Launch launch = buffers.launch(0);
  contender.before(launch);  // first: a rung that is new to these buffers may try itself on them
  contender.poison(launch);
  buffers.poison(0);
  contender.run(launch);
  contender.collect(launch);
  device_.synchronize();
  Judgement judgement = buffers.judge(0, contender.rung(), inputs, expected_);
  if (target_.same_bytes) compare_with_baseline(contender, buffers, judgement);
  emit_.record(CheckRecord{.entry = job_.entry.entry,
                           .rung = contender.name(),
                           .when = when,
                           .attempt = job_.attempt,
                           .seed = seed,
                           .right = judgement.right,
                           .elements = judgement.elements,
                           .wrong = judgement.wrong,
                           .worst_ulp = judgement.worst_ulp,
                           .relative_norm = judgement.relative_norm,
                           .report = judgement.report});
  if (!judgement.right)
    leave(contender, RowStatus::wrong,
          base::say("check ", name_of(when), " timing: ", judgement.report));
  return judgement.right;
}

// The baseline comes first, as the lowest rung of the ladder.
void Attempt::compare_with_baseline(const Contender& contender, const Buffers& buffers,
                                    Judgement& judgement) {
  if (is_baseline(contender)) {
    baseline_outputs_ = buffers.outputs(0);
    return;
  }
  if (baseline_outputs_.empty() || contender.rung().peer) return;
  const auto outputs = buffers.outputs(0);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (const auto other = other_than_baseline(baseline_outputs_[i], outputs[i].data)) {
      judgement.right = false;
      judgement.report = *other + "; " + judgement.report;
    }
}

void Attempt::check_all(Buffers& buffers, CheckTime when, const Inputs& inputs,
                        std::uint64_t seed) {
  const bool first = when == CheckTime::before;
  emit_.phase({"", base::say("reference ", name_of(when)), first ? 0.05 : 0.85});
  expected_.clear();
  baseline_outputs_.clear();
  for (const auto& output : problem_.outputs)
    expected_.emplace_back(static_cast<std::size_t>(output.tensor.count()));
  problem_.reference(inputs, expected_);
  for_each_alive(base::say("check ", name_of(when)), first ? 0.2 : 0.9, [&](Contender& contender) {
    // A rung that spoils its inputs must not spoil the next rung's check.
    if (check(contender, buffers, when, inputs, seed)) return true;
    buffers.draw(0, seed);
    return false;
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

void Attempt::time_all(Buffers& buffers) {
  const DeviceRecord& info = device_.info();
  NvmlOpened nvml = info.major == 0  ? NvmlOpened{nullptr, "host processor"}
                    : info.simulated ? NvmlOpened{nullptr, "simulated device"}
                                     : open_nvml(info.uuid);
  ThrottleWatch watch(nvml.gauge.get(), nvml.problem);
  Timing timing(device_, buffers, watch, job_, emit_);
  for_each_alive("warm-up", 0.3, [&](Contender& contender) {
    timing.warm_up(contender);
    return true;
  });
  if (alive_.empty()) return;
  if (job_.self_check > 0) return self_check(timing);
  std::vector<Contender*> contenders;
  for (const auto& contender : alive_) contenders.push_back(contender.get());
  timing.measure(contenders, job_.attempt, {0.35, 0.85});
}

// The ceilings themselves are not judged by older ones, a counted time has no roof, and neither has
// what is not the time of the work.
std::optional<Ceilings> Attempt::stored_ceilings() const {
  if (target_.chapter == roof_chapter || device_.info().simulated || !target_.timed.empty())
    return std::nullopt;
  return load_ceilings(ceilings_path(device_.info().hardware, device_.info().uuid));
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
    if (is_baseline(*contender)) baseline = contender->samples;
  for (const auto& contender : alive_) {
    RowRecord row = row_of(*contender);
    if (job_.validate)
      row.status = RowStatus::checked;
    else
      summarize(row, contender->samples, baseline, is_baseline(*contender), context);
    if (info.simulated) row.verdict.reset();  // fewer instructions need not be less time
    row.note = contender->told();
    row.figures = contender->figures();
    if (contender->throttled > 0)
      row.note += base::say(row.note.empty() ? "" : "; ", "throttled in ", contender->throttled,
                            " of ", contender->samples.size(), " samples");
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
  Inputs inputs = buffers.draw(0, seed_for_set(0));
  for_each_alive("preparation", 0.1, [this](Contender& contender) {
    contender.prepare();
    // Otherwise its row would stand in a column of something else.
    if (contender.times_itself() == target_.timed.empty())
      throw std::logic_error("Target::timed and Setup::own_time() belong together");
    return true;
  });
  check_all(buffers, CheckTime::before, inputs, seed_for_set(0));
  if (!job_.validate) time_all(buffers);
  inputs = buffers.draw(0, seed_after());
  check_all(buffers, CheckTime::after, inputs, seed_after());
  write_rows(buffers);
  if (job_.profile == Profile::minimal && device_.info().major > 0) profile_all(buffers);
  if (!job_.trace.empty()) trace_all(buffers);
}

}  // namespace

void run_entry(Device& device, const Job& job, const Emit& emit) {
  emit.record(device.info());
  Attempt(device, job, emit).run();
}

}  // namespace aisp::lab
