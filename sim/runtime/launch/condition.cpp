#include "sim/runtime/launch/condition.hpp"

#include <map>
#include <mutex>

namespace aisp::sim {
namespace {

struct Conditions {
  std::mutex mutex;  // kernels look handles up without Runtime::mutex
  std::uint64_t last = 0;
  std::map<std::uint64_t, std::weak_ptr<Condition>> all;
};

Conditions& conditions() {
  static auto* const known = new Conditions;
  return *known;
}

}  // namespace

std::shared_ptr<Condition> find_condition(std::uint64_t handle) {
  const std::lock_guard lock(conditions().mutex);
  const auto found = conditions().all.find(handle);
  return found == conditions().all.end() ? nullptr : found->second.lock();
}

std::shared_ptr<Condition> make_condition(const Graph& graph, std::uint32_t first, bool anew) {
  auto condition = std::make_shared<Condition>();
  condition->graph = &graph;
  condition->first = first;
  condition->starts_anew = anew;
  const std::lock_guard lock(conditions().mutex);
  std::erase_if(conditions().all, [](const auto& entry) { return entry.second.expired(); });
  condition->handle = ++conditions().last;
  conditions().all.emplace(condition->handle, condition);
  return condition;
}

bool set_condition(std::uint64_t handle, std::uint32_t value) {
  const auto condition = find_condition(handle);
  if (condition != nullptr) condition->value = value;
  return condition != nullptr;
}

}  // namespace aisp::sim
