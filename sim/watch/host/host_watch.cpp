#include "sim/watch/host/host_watch.hpp"

#include <algorithm>
#include <utility>

#include "sim/watch/device/beside.hpp"
#include "sim/watch/host/host_report.hpp"
#include "sim/watch/host/page_guards.hpp"

namespace aisp::sim::watch {
namespace {

// Rows of a pitched copy, or pieces of what a kernel touched, that are guarded one by one.
constexpr std::size_t most_rows = 64;

bool is_of_host(const std::optional<Allocation>& found) {
  return found && (found->kind == MemoryKind::pinned || found->kind == MemoryKind::managed);
}

bool unordered(const StreamOperation& a, const StreamOperation& b) {
  return !covers(a.node->clock, *b.node) && !covers(b.node->clock, *a.node);
}

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
  std::vector<StreamOperationPtr> overlapped;
  const OrderNode* likely = nullptr;
  for (const OrderNodePtr& ahead : after) {
    if (!ahead) continue;
    if (likely == nullptr) likely = ahead.get();
    const bool may_run =
        ahead->kernel && std::find(overlaps.begin(), overlaps.end(), ahead) != overlaps.end();
    join(clock, ahead->clock);
    const StreamOperationPtr other = may_run ? ahead->operation.lock() : nullptr;
    if (other)
      overlapped.push_back(other);
    else
      join(early, may_run ? before(*ahead) : ahead->clock);
  }
  const bool kernel = operation && operation->kind == OperationKind::kernel;
  const auto node = state_->order.add(std::move(clock), kernel, likely, inside);
  if (kernel) node->operation = operation;
  if (several_devices()) join(state_->of_device[device], node->clock);
  if (!operation) return node;
  if (!inside) join(early, state_->order.host());
  operation->node = node;
  operation->early = std::move(early);
  operation->overlapped = std::move(overlapped);
  operation->number = ++state_->last_number;
  state_->pending.emplace(operation->number, operation);
  if (operation->asynchronous) guard(operation);
  return node;
}

// What the operation writes is nobody's, what it reads nobody may write. A kernel's is known when
// it has run; one that may have told the host how far it is is left alone.
void HostWatch::guard(const StreamOperationPtr& operation, bool for_function) {
  const bool plain =
      operation->kind == OperationKind::copy || operation->kind == OperationKind::fill;
  if (!plain && operation->kind != OperationKind::kernel) return;
  if (operation->touched.talks_to_host) return;
  const auto behind = [&](std::uint64_t number) {
    const auto found = state_->guarded.find(number);
    return found == state_->guarded.end() || covers(operation->node->clock, *found->second->node);
  };
  for (const bool writes : {true, false}) {
    const auto& ranges = writes ? operation->touched.writes : operation->touched.reads;
    std::optional<Allocation> found;
    std::size_t pieces = 0;
    for (std::size_t i = 0; i < ranges.size() && pieces < most_rows;) {
      const std::uint64_t begin = ranges[i].begin;
      std::uint64_t end = ranges[i].end;
      while (++i < ranges.size() && ranges[i].begin == end) end = ranges[i].end;
      if (!found || begin < found->base || begin >= found->end()) found = memory_.find(begin);
      if (!is_of_host(found)) continue;
      ++pieces;
      state_->guarded.emplace(operation->number, operation);
      PageGuards::get().add({operation->number, writes, for_function}, begin,
                            std::min(end, found->end()), *found, memory_.is_reserved(found->base),
                            behind);
    }
  }
}

void HostWatch::keep_what_host_reaches(StreamOperation& operation) const {
  const auto table = memory_.table();
  const auto elsewhere = [&](const TouchedRange& range) {
    const auto after =
        std::upper_bound(table->begin(), table->end(), range.begin,
                         [](std::uint64_t at, const Allocation& one) { return at < one.base; });
    return after == table->begin() || range.begin >= std::prev(after)->end() ||
           !is_of_host(*std::prev(after));
  };
  std::erase_if(operation.touched.writes, elsewhere);
  std::erase_if(operation.touched.reads, elsewhere);
  operation.touched.early_reads = operation.touched.early_writes = {};
}

// A host function may touch what comes before or after it. What the host knows to be over, and no
// longer keeps from itself, a function of another stream may still be unordered with.
void HostWatch::enter_function(const StreamOperation& function) {
  state_->in_function.store(true);
  for (const StreamOperationPtr& operation : state_->known)
    if (unordered(*operation, function) && !state_->guarded.contains(operation->number)) {
      guard(operation, true);
      if (state_->guarded.contains(operation->number))
        state_->guarded_for_function.push_back(operation->number);
    }
  PageGuards::get().enter_function([&](std::uint64_t number) {
    const auto found = state_->guarded.find(number);
    return found == state_->guarded.end() || !unordered(*found->second, function);
  });
}

void HostWatch::leave_function() {
  state_->in_function.store(false);
  PageGuards::get().leave_function();
  if (state_->guarded_for_function.empty()) return;
  PageGuards::get().remove([&](std::uint64_t number) { return is_guarded_for_function(number); });
  std::erase_if(state_->guarded,
                [&](const auto& entry) { return is_guarded_for_function(entry.first); });
  state_->guarded_for_function.clear();
}

bool HostWatch::is_guarded_for_function(std::uint64_t number) const {
  const auto& numbers = state_->guarded_for_function;
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

bool HostWatch::in_host_function() const { return state_->in_function.load(); }

void HostWatch::found_value(const OrderNodePtr& wait, const OrderNodePtr& writer) {
  const std::lock_guard lock(state_->mutex);
  ChainClock clock;
  if (writer)
    clock = writer->clock;
  else
    for_all_that_ran([&](const StreamOperation& ran) { join(clock, ran.node->clock); });
  state_->order.close(clock);
  state_->order.found_earlier(wait, std::move(clock));
  for (const auto& [number, operation] : state_->pending) {
    if (!operation || !covers(operation->node->clock, *wait)) continue;
    // Nodes are everybody's to read, and the order's to make.
    state_->order.close(const_cast<OrderNode&>(*operation->node).clock);
    if (covers(operation->early, *wait)) state_->order.close(operation->early);
  }
}

void HostWatch::begins(const StreamOperationPtr& operation) {
  const std::lock_guard lock(state_->mutex);
  state_->running = process_.running = operation;
  // A host function may tell another thread that the stream has come so far.
  if (operation->kind == OperationKind::host) {
    learn(before(*operation->node));
    enter_function(*operation);
  }
  process_.talks_to_host.store(false, std::memory_order_release);
}

void HostWatch::goes_on(const StreamOperationPtr& operation) {
  const std::lock_guard lock(state_->mutex);
  state_->running = process_.running = operation;
}

void HostWatch::ended(const StreamOperationPtr& operation, bool ran) {
  const std::lock_guard lock(state_->mutex);
  process_.talks_to_host.store(false, std::memory_order_release);
  report_touches();
  if (operation->kind == OperationKind::host) leave_function();
  PageGuards::get().close();
  state_->running = nullptr;
  state_->pending.erase(operation->number);
  // A kernel ahead that let this one launch before it had waited itself vouches for nothing that
  // is ahead of it, but for what had ended before it began.
  const auto overlapped = std::exchange(operation->overlapped, {});
  for (const StreamOperationPtr& ahead : overlapped)
    join(operation->early, ahead->released_early ? ahead->early : before(*ahead->node));
  operation->ended.add(operation->early);
  for (const StreamOperationPtr& ahead : overlapped) {
    if (operation->at_launch) break;
    if (ahead->released_early) operation->ended.add(ahead->ended);
    if (!ahead->triggered) operation->ended.add(ahead->node);
  }
  operation->released_early = operation->touched.released_early;
  operation->triggered = operation->touched.triggered;
  if (ran) {
    if (process_.options.uninitialised)
      for (const TouchedRange& range : operation->touched.writes)
        process_.written.add(range.begin, range.end);
    for (const Conflict& conflict :
         state_->shadow.touch(operation, *memory_.table(), beside_of(process_))) {
      const FindingNumber number = report_conflict(process_.findings, memory_, conflict);
      if (conflict.why != Conflict::Why::unordered) continue;
      const bool in_order = conflict.earlier->number < conflict.later->number;
      state_->missing.add((in_order ? conflict.earlier : conflict.later)->node,
                          (in_order ? conflict.later : conflict.earlier)->node, number);
      state_->missing.settle(process_.findings);
    }
    state_->ran.push_back(operation);
  }
  keep_what_host_reaches(*operation);
  if (ran && operation->kind == OperationKind::kernel) guard(operation);
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

bool HostWatch::host_knows(const ChainClock& clock) {
  const std::lock_guard lock(state_->mutex);
  const ChainClock& host = state_->order.host();
  for (std::size_t i = 0; i < clock.size(); ++i)
    if (clock[i] > (i < host.size() ? host[i] : 0)) return false;
  return true;
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
  if (state_->in_function.load())
    for (const auto& [number, operation] : state_->guarded)
      if (covers(host, *operation->node) && !is_guarded_for_function(number) &&
          unordered(*operation, *state_->running)) {
        PageGuards::get().keep_for_function(number);
        state_->guarded_for_function.push_back(number);
      }
  const auto over = [&](std::uint64_t number) {
    const auto found = state_->guarded.find(number);
    return found == state_->guarded.end() ||
           (covers(host, *found->second->node) && !is_guarded_for_function(number));
  };
  PageGuards::get().remove(over);
  std::erase_if(state_->guarded, [&](const auto& entry) { return over(entry.first); });
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
  if (process_.beside) process_.beside->forget(program);
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
  for (const HostTouch& touch : PageGuards::get().take()) {
    const auto found = state_->guarded.find(touch.operation);
    if (found == state_->guarded.end()) continue;
    if (touch.in_function && state_->running)
      report_function_touch(process_.findings, memory_, found->second, state_->running, touch);
    else if (!touch.in_function)
      report_host_touch(process_.findings, memory_, *found->second, touch);
  }
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
