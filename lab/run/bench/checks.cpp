#include "lab/run/bench/checks.hpp"

#include <algorithm>
#include <set>

#include "base/refuse.hpp"
#include "lab/judge/inputs.hpp"

namespace aisp::lab {

std::vector<int> sets_to_check(int sets, std::uint64_t seed) {
  std::set<int> chosen{0, std::min(1, sets - 1), sets - 1};
  chosen.insert(static_cast<int>(seed % static_cast<std::uint64_t>(sets)));
  return {chosen.begin(), chosen.end()};
}

void Checks::begin(CheckTime when, std::uint64_t seed) {
  when_ = when;
  seed_ = seed;
  sets_ = {0};
  if (behind_timing())  // without samples in between, one that is not the first is enough
    sets_ = job_.validate ? std::vector{buffers_.sets() - 1} : sets_to_check(buffers_.sets(), seed);
  inputs_ = buffers_.draw(sets_.front(), seed);
  for (const int set : sets_)
    if (set != sets_.front()) buffers_.upload(set, inputs_);
  baseline_outputs_.clear();
  expected_.clear();
  for (const auto& output : problem_.outputs)
    expected_.emplace_back(static_cast<std::size_t>(output.tensor.count()));
  problem_.reference(inputs_, expected_);
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

void Checks::run(const Contender& contender, int set) {
  const Launch launch = buffers_.launch(set);
  contender.before(launch);  // first: a rung that is new to these buffers may try itself on them
  contender.poison(launch);
  buffers_.poison(set);
  if (behind_timing())
    as_timed_.enqueue(contender, set);
  else
    contender.run(launch);
  contender.collect(launch);
  device_.synchronize();
}

std::string Checks::check(Contender& contender, int set) {
  run(contender, set);
  Judgement judgement = buffers_.judge(set, contender.rung(), inputs_, expected_);
  if (target_.same_bytes) compare_with_baseline(contender, set, judgement);
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
  return base::say("check ", name_of(when_), " timing",
                   set > 0 ? base::say(" on buffers ", set + 1, " of ", buffers_.sets()) : "",
                   behind_timing() && as_timed_.replays() ? " through the replay" : "", ": ",
                   judgement.report);
}

// The baseline comes first, as the lowest rung of the ladder.
void Checks::compare_with_baseline(Contender& contender, int set, Judgement& judgement) {
  if (contender.is_baseline()) {
    if (set == sets_.front()) baseline_outputs_ = buffers_.outputs(set);
    return;
  }
  if (contender.rung().peer) return;
  contender.bytes_compared = !baseline_outputs_.empty();
  if (!contender.bytes_compared) return;
  const auto outputs = buffers_.outputs(set);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (const auto other = other_than_baseline(baseline_outputs_[i], outputs[i].data)) {
      judgement.right = false;
      judgement.report = *other + "; " + judgement.report;
    }
}

}  // namespace aisp::lab
