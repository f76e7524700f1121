// When the executor begins, and which job is next.
#include <algorithm>
#include <iterator>

#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/stream/executor.hpp"

namespace aisp::sim {
namespace {

// Both kernels are bound to parts of the device that have an SM in common.
bool share_multiprocessors(const EngineUse& one, const EngineUse& other) {
  if (!one.part || !other.part) return false;
  std::vector<int> both;
  std::set_intersection(one.part->sms.begin(), one.part->sms.end(), other.part->sms.begin(),
                        other.part->sms.end(), std::back_inserter(both));
  return !both.empty();
}

// The executor begins when the host waits or asks, so that runs repeat. A host that watches plain
// memory instead must not hang: without a new submission it begins after `quiet`, with them after
// `longest`, and in any case when a real queue would be full.
constexpr auto quiet = std::chrono::milliseconds(2), longest = std::chrono::milliseconds(20);

// Newest first could leave the oldest for ever: every so many choices it has its turn.
constexpr std::uint64_t oldest_every = 64;

// Under the hazard checker what is launched next may touch what the host function touches: it
// begins later, a number of times.
constexpr int function_patience_factor = 25, patient_function_starts = 40;

}  // namespace

Executor::Clock::time_point Executor::patience() const {
  const bool functions_only = function_starts_ < patient_function_starts &&
                              std::all_of(ready_.begin(), ready_.end(),
                                          [](const auto& at) { return is_function(*at.second); });
  const int factor = functions_only ? function_patience_factor : patience_factor_;
  return std::min(last_ + factor * quiet, first_ + factor * longest);
}

bool Executor::may_choose() const {
  return host_waits() || looking_ || pending_.size() >= queue_depth || Clock::now() >= patience();
}

// A host thread that has what it waited for, and is only not awake yet, needs nothing that is held
// back: otherwise what a program without a wait computes would depend on how busy the machine is.
bool Executor::host_waits() const {
  const bool others = !holds_back_ || std::any_of(ready_.begin(), ready_.end(), [](const auto& at) {
    return !at.second->held_back;
  });
  if (others) return !waiting_.empty();
  return std::any_of(waiting_.begin(), waiting_.end(), [](const auto* over) { return !(*over)(); });
}

// Under the hazard checker a host function runs when nothing else can: what it touches is compared
// with what has run, and with what is known of the rest.
bool Executor::is_postponed(const QueuedJob& job) const {
  return is_function(job) && std::any_of(ready_.begin(), ready_.end(), [&](const auto& at) {
           return fits(*at.second) && may_begin(*at.second) && !is_function(*at.second);
         });
}

// A kernel begins beside others that are in the middle of their work if the multiprocessors are
// enough for all of them, as on a device: blocks of the others never leave before they have what
// they poll for.
bool Executor::fits(const QueuedJob& job) const {
  if (!job.use.kernel) return true;
  int taken = 0, taken_of_part = 0;
  for (const Polling* polling : polling_) {
    const EngineUse& other = polling->job->use;
    if (other.device != job.use.device) continue;
    taken += other.multiprocessors;
    if (share_multiprocessors(other, job.use)) taken_of_part += other.multiprocessors;
  }
  const int wanted = job.use.multiprocessors;
  if (job.use.part && taken_of_part + wanted > job.use.part->model.multiprocessors) return false;
  return taken + wanted <= Runtime::get().model.multiprocessors;
}

bool Executor::any_fits() const {
  return std::any_of(ready_.begin(), ready_.end(),
                     [&](const auto& at) { return fits(*at.second); });
}

// What has not begun comes first, except in random order: those that poll have just found nothing.
bool Executor::turn_of_polling() {
  const auto jobs = static_cast<std::uint64_t>(std::count_if(
      ready_.begin(), ready_.end(), [&](const auto& at) { return fits(*at.second); }));
  if (Runtime::get().settings.order != Order::random) return jobs == 0;
  if (random_() % (jobs + polling_.size()) < jobs) return false;
  std::swap(polling_.front(), polling_[random_() % polling_.size()]);
  return true;
}

double Executor::start_of(const QueuedJob& job) const {
  return engines_.free_at(job.use, std::max(job.start, connections_.free_at(job)));
}

// Kernels that are not at the head of their connection's queue wait. What would hang a device, a
// head that waits for one behind it, must not hang this one: then any may begin.
bool Executor::may_begin(const QueuedJob& job) const {
  return connections_.at_head(job) ||
         std::none_of(ready_.begin(), ready_.end(), [&](const auto& at) {
           return fits(*at.second) && connections_.at_head(*at.second);
         });
}

// In the earliest order jobs begin in that of simulated time; at the same moment priority counts,
// then the order of submission. Where jobs are held back, the oldest of the others is next.
QueuedJob& Executor::choose() {
  if (holds_back_)
    for (const auto& [sequence, job] : ready_)
      if (!job->held_back && fits(*job)) return *job;
  const Order order = Runtime::get().settings.order;
  if (order == Order::random) {
    const auto eligible = [&](const auto& at) {
      return fits(*at.second) && !is_postponed(*at.second);
    };
    auto left =
        static_cast<std::ptrdiff_t>(random_() % static_cast<std::uint64_t>(std::count_if(
                                                    ready_.begin(), ready_.end(), eligible)));
    auto at = ready_.begin();
    while (!eligible(*at) || left-- > 0) ++at;
    return *at->second;
  }
  if (order == Order::latest && ++choices_ % oldest_every == 0 && fits(*ready_.begin()->second))
    return *ready_.begin()->second;
  QueuedJob* best = nullptr;
  double best_start = 0;
  for (const auto& [sequence, job] : ready_) {
    if (!fits(*job) || is_postponed(*job) || !may_begin(*job)) continue;
    const double start = order == Order::latest ? 0 : start_of(*job);
    const bool better =
        best == nullptr || start < best_start ||
        (start == best_start && (job->priority < best->priority ||
                                 (order == Order::latest && job->priority == best->priority)));
    if (!better) continue;
    best = job;
    best_start = start;
  }
  return *best;
}

}  // namespace aisp::sim
