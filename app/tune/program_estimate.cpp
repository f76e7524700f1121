#include "app/tune/program_estimate.hpp"

#include "app/tune/program_stage.hpp"
#include "base/refuse.hpp"
#include "lab/run/estimate.hpp"

namespace aisp::app {
namespace {

constexpr int group = 8;  // candidates that jit/tune.cpp times together

std::string about(double seconds) { return "about " + lab::rough_duration(seconds); }

}  // namespace

TuneEstimate estimate_tuning(const lab::RunHeader& planned, double seconds) {
  const lab::Interrupt interrupt;
  TuneEstimate made;
  double total = 0;
  made.seconds.resize(planned.plan.size());
  for (const auto& one : lab::estimate_run(planned, {.runs = 1, .references = 1}, interrupt)) {
    if (one.seconds <= 0) continue;
    const double of_group = group * simulated_samples * one.run_seconds;
    // The choice is run once more and compared with a float64 reference.
    const double of_check = one.run_seconds + one.reference_seconds;
    const double most = of_group + (of_group < seconds ? seconds : 0) + of_check;
    total += most;
    for (std::size_t at = 0; at < planned.plan.size(); ++at)
      if (planned.plan[at].entry == one.entry) made.seconds[at] = most;
    made.lines.push_back(base::say("estimate for ", one.entry, ": one run ", about(one.run_seconds),
                                   "; a group of up to ", group, " candidates with ",
                                   simulated_samples, " samples each ", about(of_group),
                                   "; the check of the choice against float64 ", about(of_check)));
  }
  if (total > 0)
    made.lines.push_back(base::say("estimate: at most ", about(total), " in all; after --seconds ",
                                   seconds, " of a size no further group of candidates is begun; ",
                                   lab::accuracy_of_estimate));
  return made;
}

}  // namespace aisp::app
