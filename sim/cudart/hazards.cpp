#include "sim/cudart/hazards.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sim/cudart/hazards_guard.hpp"
#include "sim/cudart/hazards_report.hpp"
#include "sim/cudart/memory_pool.hpp"
#include "sim/cudart/runtime.hpp"

namespace sim {

using hazards::Clock;
using hazards::Guards;
using hazards::Kind;
using hazards::NodePtr;
using hazards::OperationPtr;

namespace {

// Rows of a pitched copy that are guarded one by one.
constexpr std::size_t most_guards = 64;

}  // namespace

Hazards* Hazards::get() {
  static Hazards* const hazards = [] {
    watch::Session* session = Runtime::get().settings.hazards;
    return session != nullptr ? new Hazards(*session) : nullptr;
  }();
  return hazards;
}

Hazards::Hazards(watch::Session& session) : session_(session), state_(new State) {
  std::atexit([] { get()->finish(); });
  pthread_atfork(nullptr, nullptr, [] { get()->after_fork(); });
}

NodePtr Hazards::submitted(const std::vector<MarkPtr>& after, const std::vector<MarkPtr>& overlaps,
                           const OperationPtr& operation, int device, const NodePtr& inside) {
  const std::lock_guard lock(state_->mutex);
  report_touches();
  Clock clock, early;
  const hazards::Node* likely = nullptr;
  for (const MarkPtr& mark : after) {
    if (!mark || !mark->node) continue;
    if (likely == nullptr) likely = mark->node.get();
    const bool may_run =
        mark->node->kernel && std::find(overlaps.begin(), overlaps.end(), mark) != overlaps.end();
    hazards::join(clock, mark->node->clock);
    hazards::join(early, may_run ? before(*mark->node) : mark->node->clock);
  }
  const bool kernel = operation && operation->kind == Kind::kernel;
  NodePtr node = state_->order.add(std::move(clock), kernel, likely, inside);
  if (Runtime::get().model.devices > 1) hazards::join(state_->of_device[device], node->clock);
  if (!operation) return node;
  if (!inside) hazards::join(early, state_->order.host());
  operation->node = node;
  operation->early = std::move(early);
  operation->number = ++state_->last_number;
  state_->pending.emplace(operation->number, operation);
  if (operation->kind == Kind::copy && operation->asynchronous) guard(operation);
  return node;
}

// What the copy writes is nobody's, what it reads nobody may write.
void Hazards::guard(const OperationPtr& operation) {
  const Memory& memory = Runtime::get().memory;
  for (const bool writes : {true, false}) {
    const auto& ranges = writes ? operation->touched.writes : operation->touched.reads;
    if (ranges.empty()) continue;
    const auto found = memory.find(ranges.front().begin);
    if (!found || (found->kind != MemoryKind::pinned && found->kind != MemoryKind::managed))
      continue;
    state_->guarded.emplace(operation->number, operation);
    const bool own_pages = memory.is_reserved(found->base);
    for (std::size_t i = 0; i < std::min(ranges.size(), most_guards); ++i)
      Guards::get().add(operation->number, ranges[i].begin, ranges[i].end, writes, *found,
                        own_pages);
  }
}

void Hazards::begins(const OperationPtr& operation) {
  const std::lock_guard lock(state_->mutex);
  state_->running = operation;
  // A host function may tell another thread that the stream has come so far.
  if (operation->kind == Kind::host) learn(before(*operation->node));
}

void Hazards::ended(const OperationPtr& operation, bool ran) {
  const std::lock_guard lock(state_->mutex);
  Guards::get().close();
  report_touches();
  state_->running = nullptr;
  state_->pending.erase(operation->number);
  Runtime& runtime = Runtime::get();
  if (ran) {
    if (session_.options.uninitialised)
      for (const watch::TouchedRange& range : operation->touched.writes)
        session_.written.add(range.begin, range.end);
    for (const hazards::Conflict& conflict :
         state_->shadow.touch(operation, *runtime.memory.table()))
      report(session_.findings, runtime.memory, conflict);
    state_->ran.push_back(operation);
  }
  if (!state_->guarded.contains(operation->number)) operation->touched = {};
  settle();
  session_.findings.write();
}

void Hazards::kernel_ran(const Program& program, watch::Footprint footprint) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->running) return;
  state_->running->program = &program;
  state_->running->touched = std::move(footprint);
}

void Hazards::retire() {
  const std::lock_guard lock(state_->mutex);
  if (state_->running) state_->running->retired = true;
}

void Hazards::host_waited(const MarkPtr& mark) {
  if (!mark || !mark->node) return;
  const std::lock_guard lock(state_->mutex);
  if (!covers(state_->order.host(), *mark->node)) learn(mark->node->clock);
}

void Hazards::host_waited(const Clock& clock) {
  const std::lock_guard lock(state_->mutex);
  learn(clock);
}

Clock Hazards::everything(int device) {
  const std::lock_guard lock(state_->mutex);
  const bool all = device < 0 || Runtime::get().model.devices == 1;
  return all ? state_->order.everything() : state_->of_device[device];
}

void Hazards::learn(const Clock& clock) {
  report_touches();
  state_->order.host_waited(clock);
  const Clock& host = state_->order.host();
  const auto over = [&](std::uint64_t number) {
    const auto found = state_->guarded.find(number);
    return found == state_->guarded.end() || covers(host, *found->second->node);
  };
  Guards::get().remove(over);
  std::erase_if(state_->guarded,
                [&](const auto& entry) { return covers(host, *entry.second->node); });
  const auto unknown = std::stable_partition(
      state_->ran.begin(), state_->ran.end(),
      [&](const OperationPtr& operation) { return !covers(host, *operation->node); });
  for (auto operation = unknown; operation != state_->ran.end(); ++operation) {
    (*operation)->known_at = state_->last_number + 1;
    state_->known.push_back(std::move(*operation));
  }
  state_->ran.erase(unknown, state_->ran.end());
  settle();
}

// What the host knows to be over comes before all that it will submit; when all that was submitted
// before it knew has run as well, nothing can be unordered with it any more.
void Hazards::settle() {
  State& state = *state_;
  const std::uint64_t next = state.last_number + 1;
  const std::uint64_t oldest = state.pending.empty() ? next : state.pending.begin()->first;
  for (; !state.known.empty() && state.known.front()->known_at <= oldest; state.known.pop_front()) {
    hazards::Operation& operation = *state.known.front();
    operation.settled = true;
    if (operation.retired) release_to_pool(operation.memory);
  }
  if (state.ran.empty() && state.known.empty()) state.shadow.clear();
}

void Hazards::make_room(int device, std::uint64_t bytes) {
  const Memory& memory = Runtime::get().memory;
  if (memory.used(device) + static_cast<std::int64_t>(bytes) <= memory.capacity()) return;
  const std::lock_guard lock(state_->mutex);
  for_all_that_ran([](hazards::Operation& operation) {
    if (std::exchange(operation.retired, false)) release_to_pool(operation.memory);
  });
}

void Hazards::forget(const Program* program) {
  const std::lock_guard lock(state_->mutex);
  for_all_that_ran([&](hazards::Operation& operation) {
    if (operation.program == program) operation.program = nullptr;
  });
}

std::uint64_t Hazards::next_graph() {
  const std::lock_guard lock(state_->mutex);
  return ++state_->last_graph;
}

std::uint64_t Hazards::reserve() {
  const std::lock_guard lock(state_->mutex);
  const std::uint64_t number = ++state_->last_number;
  state_->pending.emplace(number, nullptr);
  return number;
}

void Hazards::release(std::uint64_t reserved) {
  const std::lock_guard lock(state_->mutex);
  state_->pending.erase(reserved);
  settle();
}

void Hazards::report_touches() {
  for (const hazards::HostTouch& touch : Guards::get().take())
    if (const auto found = state_->guarded.find(touch.operation); found != state_->guarded.end())
      report(session_.findings, Runtime::get().memory, *found->second, touch);
}

void Hazards::finish() {
  const std::lock_guard lock(state_->mutex);
  report_touches();
  session_.findings.write();
}

// The executor's thread is not there, and another thread may have held the lock.
void Hazards::after_fork() {
  state_.release();  // NOLINT: never destroyed
  state_ = std::make_unique<State>();
  Guards::get().forget();
}

}  // namespace sim
