#include "sim/watch/host/host_watch.hpp"

#include <algorithm>
#include <utility>

#include "sim/watch/host/host_report.hpp"
#include "sim/watch/host/page_guards.hpp"

namespace aisp::sim::watch {
namespace {

// Rows of a pitched copy that are guarded one by one.
constexpr std::size_t most_rows = 64;

}  // namespace

HostWatch::HostWatch(ProcessWatch& process, const Memory& memory)
    : process_(process), memory_(memory), state_(new State) {}

OrderNodePtr HostWatch::submitted(const std::vector<OrderNodePtr>& after,
                                  const std::vector<OrderNodePtr>& overlaps,
                                  const StreamOperationPtr& operation, int device,
                                  const OrderNodePtr& inside) {
  const std::lock_guard lock(state_->mutex);
  report_touches();
  ChainClock clock, early;
  const OrderNode* likely = nullptr;
  for (const OrderNodePtr& ahead : after) {
    if (!ahead) continue;
    if (likely == nullptr) likely = ahead.get();
    const bool may_run =
        ahead->kernel && std::find(overlaps.begin(), overlaps.end(), ahead) != overlaps.end();
    join(clock, ahead->clock);
    join(early, may_run ? before(*ahead) : ahead->clock);
  }
  const bool kernel = operation && operation->kind == OperationKind::kernel;
  OrderNodePtr node = state_->order.add(std::move(clock), kernel, likely, inside);
  if (several_devices()) join(state_->of_device[device], node->clock);
  if (!operation) return node;
  if (!inside) join(early, state_->order.host());
  operation->node = node;
  operation->early = std::move(early);
  operation->number = ++state_->last_number;
  state_->pending.emplace(operation->number, operation);
  if (operation->kind == OperationKind::copy && operation->asynchronous) guard(operation);
  return node;
}

// What the copy writes is nobody's, what it reads nobody may write.
void HostWatch::guard(const StreamOperationPtr& operation) {
  for (const bool writes : {true, false}) {
    const auto& ranges = writes ? operation->touched.writes : operation->touched.reads;
    if (ranges.empty()) continue;
    const auto found = memory_.find(ranges.front().begin);
    if (!found || (found->kind != MemoryKind::pinned && found->kind != MemoryKind::managed))
      continue;
    state_->guarded.emplace(operation->number, operation);
    const bool own_pages = memory_.is_reserved(found->base);
    for (std::size_t i = 0; i < std::min(ranges.size(), most_rows); ++i)
      PageGuards::get().add(operation->number, ranges[i].begin, ranges[i].end, writes, *found,
                            own_pages);
  }
}

void HostWatch::begins(const StreamOperationPtr& operation) {
  const std::lock_guard lock(state_->mutex);
  state_->running = operation;
  // A host function may tell another thread that the stream has come so far.
  if (operation->kind == OperationKind::host) learn(before(*operation->node));
}

void HostWatch::ended(const StreamOperationPtr& operation, bool ran) {
  const std::lock_guard lock(state_->mutex);
  PageGuards::get().close();
  report_touches();
  state_->running = nullptr;
  state_->pending.erase(operation->number);
  if (ran) {
    if (process_.options.uninitialised)
      for (const TouchedRange& range : operation->touched.writes)
        process_.written.add(range.begin, range.end);
    for (const Conflict& conflict : state_->shadow.touch(operation, *memory_.table()))
      report_conflict(process_.findings, memory_, conflict);
    state_->ran.push_back(operation);
  }
  if (!state_->guarded.contains(operation->number)) operation->touched = {};
  settle();
  process_.findings.write();
}

void HostWatch::kernel_ran(const Program& program, Footprint footprint) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->running) return;
  state_->running->program = &program;
  state_->running->touched = std::move(footprint);
}

void HostWatch::retire(void (*release)(void* memory)) {
  const std::lock_guard lock(state_->mutex);
  if (state_->running) state_->running->release = release;
}

void HostWatch::host_waited_for(const OrderNodePtr& node) {
  if (!node) return;
  const std::lock_guard lock(state_->mutex);
  if (!covers(state_->order.host(), *node)) learn(node->clock);
}

void HostWatch::host_waited(const ChainClock& clock) {
  const std::lock_guard lock(state_->mutex);
  learn(clock);
}

ChainClock HostWatch::everything(int device) {
  const std::lock_guard lock(state_->mutex);
  return device < 0 || !several_devices() ? state_->order.everything() : state_->of_device[device];
}

void HostWatch::learn(const ChainClock& clock) {
  report_touches();
  state_->order.host_waited(clock);
  const ChainClock& host = state_->order.host();
  const auto over = [&](std::uint64_t number) {
    const auto found = state_->guarded.find(number);
    return found == state_->guarded.end() || covers(host, *found->second->node);
  };
  PageGuards::get().remove(over);
  std::erase_if(state_->guarded,
                [&](const auto& entry) { return covers(host, *entry.second->node); });
  const auto unknown = std::stable_partition(
      state_->ran.begin(), state_->ran.end(),
      [&](const StreamOperationPtr& operation) { return !covers(host, *operation->node); });
  for (auto operation = unknown; operation != state_->ran.end(); ++operation) {
    (*operation)->known_at = state_->last_number + 1;
    state_->known.push_back(std::move(*operation));
  }
  state_->ran.erase(unknown, state_->ran.end());
  settle();
}

// What the host knows to be over comes before all that it will submit; when all that was submitted
// before it knew has run as well, nothing can be unordered with it any more.
void HostWatch::settle() {
  State& state = *state_;
  const std::uint64_t next = state.last_number + 1;
  const std::uint64_t oldest = state.pending.empty() ? next : state.pending.begin()->first;
  for (; !state.known.empty() && state.known.front()->known_at <= oldest; state.known.pop_front()) {
    StreamOperation& operation = *state.known.front();
    operation.settled = true;
    if (operation.release != nullptr) operation.release(operation.memory);
  }
  if (state.ran.empty() && state.known.empty()) state.shadow.clear();
}

void HostWatch::make_room(int device, std::uint64_t bytes) {
  if (memory_.used(device) + static_cast<std::int64_t>(bytes) <= memory_.capacity()) return;
  const std::lock_guard lock(state_->mutex);
  for_all_that_ran([](StreamOperation& operation) {
    if (const auto release = std::exchange(operation.release, nullptr)) release(operation.memory);
  });
}

void HostWatch::forget(const Program* program) {
  const std::lock_guard lock(state_->mutex);
  for_all_that_ran([&](StreamOperation& operation) {
    if (operation.program == program) operation.program = nullptr;
  });
}

std::uint64_t HostWatch::next_graph() {
  const std::lock_guard lock(state_->mutex);
  return ++state_->last_graph;
}

std::uint64_t HostWatch::reserve() {
  const std::lock_guard lock(state_->mutex);
  const std::uint64_t number = ++state_->last_number;
  state_->pending.emplace(number, nullptr);
  return number;
}

void HostWatch::release(std::uint64_t reserved) {
  const std::lock_guard lock(state_->mutex);
  state_->pending.erase(reserved);
  settle();
}

void HostWatch::report_touches() {
  for (const HostTouch& touch : PageGuards::get().take())
    if (const auto found = state_->guarded.find(touch.operation); found != state_->guarded.end())
      report_host_touch(process_.findings, memory_, *found->second, touch);
}

void HostWatch::finish() {
  const std::lock_guard lock(state_->mutex);
  report_touches();
  process_.findings.write();
}

// The executor's thread is not there, and another thread may have held the lock.
void HostWatch::after_fork() {
  state_.release();  // NOLINT: never destroyed
  state_ = std::make_unique<State>();
  PageGuards::get().forget();
}

}  // namespace aisp::sim::watch
