#include <algorithm>

#include "sim/runtime/module/module.hpp"
#include "sim/runtime/state/host_watch.hpp"

namespace aisp::sim {

Registry& Registry::get() {
  static Registry* const registry = new Registry;
  return *registry;
}

Module* Registry::add(std::vector<Image> images, std::string label) {
  const std::lock_guard lock(mutex_);
  used_ = true;
  modules_.push_back(std::make_unique<Module>(std::move(images), std::move(label)));
  return modules_.back().get();
}

void Registry::remove(Module* module) {
  if (watch::HostWatch* watch = host_watch())
    for (const Program* program : module->programs()) watch->forget(program);
  const std::lock_guard lock(mutex_);
  const auto of_module = [&](const auto& entry) { return entry.second.module == module; };
  std::erase_if(functions_, of_module);
  std::erase_if(variables_, of_module);
  std::erase_if(handles_, [&](const auto& entry) { return entry.second->module == module; });
  std::erase_if(modules_, [&](const auto& known) { return known.get() == module; });
}

bool Registry::knows(const Module* module) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(modules_.begin(), modules_.end(),
                     [&](const auto& known) { return known.get() == module; });
}

bool Registry::was_used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

void Registry::add_function(Module* module, const void* host, const char* name) {
  const std::lock_guard lock(mutex_);
  functions_[host] = {module, name};
}

void Registry::add_variable(Module* module, const void* host, const char* name) {
  const std::lock_guard lock(mutex_);
  variables_[host] = {module, name};
}

// Modules lock themselves and then the registry, so that nothing here calls them with its own lock.
std::optional<Registry::HostName> Registry::find(const std::map<const void*, HostName>& names,
                                                 const void* host) const {
  const std::lock_guard lock(mutex_);
  const auto found = names.find(host);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

Kernel* Registry::find_kernel(const void* symbol) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto handle = handles_.find(symbol); handle != handles_.end()) return handle->second;
  }
  const auto found = find(functions_, symbol);
  return found ? &found->module->kernel(found->name) : nullptr;
}

ModuleVariable Registry::variable(const void* host) const {
  const auto found = find(variables_, host);
  require(found.has_value(), cudaErrorInvalidSymbol);
  const auto variable = found->module->variable(found->name);
  require(variable.has_value(), cudaErrorInvalidSymbol);
  return *variable;
}

void Registry::handle_made(Kernel* kernel) {
  const std::lock_guard lock(mutex_);
  handles_[kernel] = kernel;
}

Kernel& kernel_of(const void* symbol) {
  require(symbol != nullptr, cudaErrorInvalidDeviceFunction);
  Kernel* kernel = Registry::get().find_kernel(symbol);
  require(kernel != nullptr, cudaErrorInvalidResourceHandle);
  return *kernel;
}

void* address_in_symbol(const void* symbol, std::size_t offset, std::size_t bytes) {
  const ModuleVariable variable = Registry::get().variable(symbol);
  require(offset <= variable.bytes && bytes <= variable.bytes - offset);
  return reinterpret_cast<void*>(variable.address + offset);
}

}  // namespace aisp::sim
