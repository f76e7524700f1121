#include "lab/run/bench/checks.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>

#include "base/refuse.hpp"
#include "lab/case/elsewhere.hpp"
#include "lab/judge/inputs.hpp"

namespace aisp::lab {
namespace {

constexpr const char* seed_variable = "AISP_CHECK_SEED";

// Elements that still are poison.
std::int64_t poisoned(const HostTensor& output) {
  const auto bytes = static_cast<std::size_t>(bytes_of(output.what.dtype));
  std::int64_t count = 0;
  for (std::size_t at = 0; at < output.data.size(); at += bytes)
    count += std::all_of(output.data.begin() + static_cast<std::ptrdiff_t>(at),
                         output.data.begin() + static_cast<std::ptrdiff_t>(at + bytes),
                         [](std::byte byte) { return byte == std::byte{poison_byte}; });
  return count;
}

// Those of a type in which poison is a number and may be right.
std::int64_t poisoned_numbers(const HostTensor& output) {
  std::array<std::byte, 8> poison;
  poison.fill(std::byte{poison_byte});
  return std::isnan(read_element(output.what.dtype, poison.data(), 0)) ? 0 : poisoned(output);
}

}  // namespace

std::uint64_t check_seed() {
  if (const char* given = std::getenv(seed_variable); given != nullptr && *given != '\0') {
    char* end = nullptr;
    errno = 0;
    const unsigned long long seed = std::strtoull(given, &end, 10);
    if (*end != '\0' || errno != 0 || *given < '0' || *given > '9')
      base::refuse(base::Exit::usage, seed_variable, " is a whole number from 0 to 2^64 - 1: got '",
                   given, "'");
    return seed;
  }
  std::random_device fresh;
  return std::uint64_t{fresh()} << 32 | fresh();
}

std::vector<int> sets_to_check(int sets, int drawn) {
  const std::set<int> chosen{0, drawn, sets - 1};
  return {chosen.begin(), chosen.end()};
}

Checks::Checks(Device& device, const Target& target, const Problem& problem, Buffers& buffers,
               Sampler& sampler, const Job& job, const Emit& emit, std::uint64_t random)
    : device_(device),
      target_(target),
      problem_(problem),
      buffers_(buffers),
      sampler_(sampler),
      job_(job),
      emit_(emit),
      random_(random),
      drawn_set_(static_cast<int>(random % static_cast<std::uint64_t>(buffers.sets()))) {}

void Checks::compute_reference() {
  baseline_outputs_.clear();
  expected_.clear();
  for (const auto& output : problem_.outputs)
    expected_.emplace_back(static_cast<std::size_t>(output.tensor.count()));
  problem_.reference(inputs_, expected_);
}

void Checks::begin_before(std::uint64_t seed) {
  when_ = CheckTime::before;
  seed_ = seed;
  sets_ = {0};
  inputs_ = buffers_.draw(0, seed);
  compute_reference();
}

void Checks::plant(std::uint64_t seed) {
  seed_ = seed;
  // Without samples in between one set is enough, and another one than before timing.
  if (job_.validate) drawn_set_ = buffers_.sets() - 1;
  inputs_ = buffers_.draw(drawn_set_, seed);
}

void Checks::begin_after() {
  when_ = CheckTime::after;
  sets_ = job_.validate ? std::vector{drawn_set_} : sets_to_check(buffers_.sets(), drawn_set_);
  changed_ = change_one_element(inputs_, random_);
  if (changed_) {
    changed_bytes_ = std::make_unique<Buffer>(device_, changed_->after.size());
    device_.upload(changed_bytes_->get(), changed_->after.data(), changed_->after.size());
  }
  upload();
  compute_reference();
}

void Checks::upload() {
  for (const int set : sets_) buffers_.upload(set, inputs_);
}

std::string Checks::check(Contender& contender) {
  for (const int set : sets_) {
    const std::string wrong = check(contender, set);
    if (wrong.empty()) continue;
    upload();  // a rung that spoils its inputs must not spoil the next rung's check
    return wrong;
  }
  return "";
}

void Checks::run_as_sample(Contender& contender, int set, const std::function<void()>& audit) {
  // What the hooks see is what the samples saw. The element changes behind them, so that a run
  // that only copies what a hook has computed is wrong.
  const bool hidden = changed_ && !contender.stages(changed_->input);
  if (hidden) buffers_.upload_element(set, changed_->input, changed_->element, changed_->before);
  const auto change = [&] {
    if (hidden)
      buffers_.copy_element(set, changed_->input, changed_->element, changed_bytes_->get());
  };
  sampler_.take_judged(contender, set, audit, change);
}

// Everything is poisoned and nothing has run: no element can be right.
std::string Checks::produced_by_collecting(const Contender& contender, int set) {
  // What other processes hold is there only after they have run.
  if (!contender.has_own_outputs() || !all_elsewhere().empty()) return "";
  const Launch launch = buffers_.launch(set);
  contender.poison_own_outputs(launch);
  buffers_.poison(set);
  contender.collect(launch);
  buffers_.keep_outputs(set);
  const Judgement judgement = buffers_.judge_outputs(contender.rung(), inputs_, expected_);
  std::int64_t right = judgement.elements - judgement.wrong;
  for (const auto& output : buffers_.kept_outputs()) right -= poisoned_numbers(output);
  // Memory that holds a start value may meet the result here and there, and one element of the
  // inputs is about to change.
  if (8 * right <= judgement.elements) return "";
  return base::say(right, " of ", judgement.elements,
                   " elements of its outputs are right before its run: own_outputs.poison and "
                   "own_outputs.collect are not timed and must not produce them");
}

// Of a rung that works in streams of its own, this is what a wait that is missing looks like.
std::string Checks::unwritten_outputs() const {
  for (const auto& output : buffers_.kept_outputs())
    if (poisoned(output) == output.what.count() && output.what.count() > 0)
      return base::say("; nothing wrote ", output.what.name,
                       " between the events: if another stream does, it has to wait for "
                       "launch.stream, and launch.stream for it");
  return "";
}

std::string Checks::check(Contender& contender, int set) {
  std::string produced;
  const auto audit = [&] { produced = produced_by_collecting(contender, set); };
  if (behind_timing())
    run_as_sample(contender, set, audit);
  else
    sampler_.launch_judged(contender, set, audit);
  Judgement judgement = buffers_.judge(set, contender.rung(), inputs_, expected_);
  if (target_.same_bytes) compare_with_baseline(contender, set, judgement);
  if (!judgement.right) judgement.report += unwritten_outputs();
  if (!produced.empty()) {
    judgement.right = false;
    judgement.report = produced + "; " + judgement.report;
  }
  emit_.record(CheckRecord{.entry = job_.entry.entry,
                           .rung = contender.name(),
                           .when = when_,
                           .attempt = job_.attempt,
                           .seed = seed_,
                           .right = judgement.right,
                           .elements = judgement.elements,
                           .wrong = judgement.wrong,
                           .worst_ulp = judgement.worst_ulp,
                           .relative_norm = judgement.relative_norm,
                           .report = judgement.report,
                           .set = set});
  if (judgement.right) return "";
  const std::string again =
      behind_timing() ? base::say("; ", seed_variable, "=", random_, " repeats it") : "";
  return base::say("check ", name_of(when_), " timing",
                   set > 0 ? base::say(" on buffers ", set + 1, " of ", buffers_.sets()) : "",
                   behind_timing() && job_.timer == Timer::graph ? " through the replay" : "", ": ",
                   judgement.report, again);
}

// The baseline comes first, as the lowest rung of the ladder.
void Checks::compare_with_baseline(Contender& contender, int set, Judgement& judgement) {
  if (contender.is_baseline()) {
    if (set == sets_.front()) baseline_outputs_ = buffers_.kept_outputs();
    return;
  }
  if (contender.rung().peer) return;
  contender.bytes_compared = !baseline_outputs_.empty();
  if (!contender.bytes_compared) return;
  const auto outputs = buffers_.kept_outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (const auto other = other_than_baseline(baseline_outputs_[i], outputs[i].data)) {
      judgement.right = false;
      judgement.report = *other + "; " + judgement.report;
    }
}

}  // namespace aisp::lab
