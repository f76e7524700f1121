#include "sim/runtime/state/context.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace aisp::sim {
namespace {

struct Contexts {
  std::mutex mutex;
  std::deque<Context> all;  // the primary ones first, by device
  Contexts() {
    for (int device = 0; device < most_devices; ++device) {
      Context& context = all.emplace_back();
      context.device = device;
      context.primary = true;
      context.id = static_cast<std::uint64_t>(device) + 1;
    }
  }
};

Contexts& contexts() {
  static auto* const all = new Contexts;
  return *all;
}

std::atomic<bool> initialised{false};
std::atomic<bool> used_by_runtime[most_devices] = {};

thread_local std::vector<Context*> stack;
thread_local bool inside_driver = false;
// What enter_runtime() has found in order already; -1: nothing yet.
thread_local int entered_device = -1;

void top_changed() {
  entered_device = -1;
  if (!stack.empty()) set_current_device(stack.back()->device);
}

}  // namespace

Context* find_context(const void* handle) {
  const std::lock_guard lock(contexts().mutex);
  for (Context& context : contexts().all)
    if (&context == handle) return &context;
  return nullptr;
}

Context& primary_context(int device) { return contexts().all[static_cast<std::size_t>(device)]; }

Context& create_context(int device, unsigned flags, std::shared_ptr<const DevicePart> part) {
  const std::lock_guard lock(contexts().mutex);
  Context& context = contexts().all.emplace_back();
  context.device = device;
  context.id = contexts().all.size();
  context.flags = flags;
  context.part = std::move(part);
  context.alive = true;
  return context;
}

bool others_live_on(int device, const Context& but) {
  const std::lock_guard lock(contexts().mutex);
  return std::any_of(contexts().all.begin(), contexts().all.end(), [&](const Context& other) {
    return &other != &but && other.device == device && other.alive;
  });
}

Context* current_context() { return stack.empty() ? nullptr : stack.back(); }

Context* owning_context() {
  Context* const current = current_context();
  return current != nullptr && current->part ? &primary_context(current->device) : current;
}

void set_current_context(Context* context) {
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
  top_changed();
}

void push_context(Context& context) {
  stack.push_back(&context);
  top_changed();
}

Context* pop_context() {
  if (stack.empty()) return nullptr;
  Context* const top = stack.back();
  stack.pop_back();
  top_changed();
  return top;
}

bool driver_is_initialised() { return initialised.load(std::memory_order_relaxed); }
void initialise_driver() { initialised.store(true, std::memory_order_relaxed); }

void enter_runtime() {
  if (entered_device == current_device() || inside_driver) return;
  const int device = current_device();
  initialise_driver();
  if (stack.empty() || stack.back()->device != device || !stack.back()->alive) {
    Context& primary = primary_context(device);
    primary.alive = true;
    if (!stack.empty()) stack.pop_back();
    stack.push_back(&primary);
  }
  if (stack.back()->primary) used_by_runtime[device] = true;
  entered_device = device;
}

void note_runtime_call() {
  if (!inside_driver) initialise_driver();
}

bool runtime_used(int device) { return used_by_runtime[device]; }

InsideDriver::InsideDriver() : before_(std::exchange(inside_driver, true)) {}
InsideDriver::~InsideDriver() { inside_driver = before_; }

}  // namespace aisp::sim
