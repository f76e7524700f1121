// Device code of the process: fatbins that the program registered and libraries it loaded. A module
// is parsed and decoded when one of its kernels or variables is first needed on a device; every
// device has variables of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/program/program.hpp"
#include "sim/runtime/module/cubin.hpp"
#include "sim/runtime/module/fatbin.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {

class Module;

// What cudaFuncSetAttribute sets.
struct KernelAttributes {
  int max_dynamic_shared = -1;  // bytes; -1: the default, what is left of 48 KiB
  int carveout = -1;            // percent; -1: the driver's choice
  bool non_portable_cluster = false;
  int required_cluster[3] = {0, 0, 0};  // 0: from the PTX
  int cluster_policy = 0;
};

// A kernel as handles name it: cudaKernel_t and cudaFunction_t are pointers to one. What it is told
// about is the calling thread's current device.
struct Kernel {
  Module* module = nullptr;
  std::string name;  // as the PTX spells it
  KernelAttributes attributes_on[most_devices];
  KernelAttributes& attributes() { return attributes_on[current_device()]; }

  // Loads the module if need be. Throws ApiError (no image, refused PTX, no such kernel).
  const Routine& routine();
  const Program& program();
  // What ptxas decided, where the program carries machine code for this device; else null.
  const KernelResources* resources();

 private:
  std::atomic<const Routine*> routines_[most_devices] = {};
};

struct ModuleVariable {
  std::string name;
  std::uint64_t address = 0, bytes = 0;
  bool constant = false, managed = false;
};

class Module {
 public:
  // `images` views bytes that outlive the module; `label` names it in messages.
  Module(std::vector<Image> images, std::string label);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Its code is broken: every use fails with cudaErrorInvalidKernelImage and this reason.
  void set_unreadable(std::string why) { unreadable_ = std::move(why); }

  // For the current device: parses and decodes at the first call. `needed_for` is what a message
  // names. Throws ApiError.
  const Program& program(const std::string& needed_for);
  std::vector<const Program*> programs() const;  // of all devices that have one
  const KernelResources* resources(const std::string& kernel) const;

  Kernel& kernel(const std::string& name);  // the handle; does not load
  std::vector<Kernel*> kernels();           // loads; every entry of the program
  std::optional<ModuleVariable> variable(const std::string& name);  // loads
  // A __managed__ variable: its memory, made before the module is loaded so that the program's
  // host side can use it.
  void* add_managed(const std::string& name, std::size_t bytes);
  bool has_managed() const { return has_managed_; }

 private:
  // What one device has. Programs without variables are shared.
  struct Loaded {
    std::atomic<bool> done{false};
    cudaError_t failure = cudaSuccess;
    std::shared_ptr<const Program> program;
    std::map<std::string, ModuleVariable> variables;  // without managed ones
  };

  const Loaded* other_loaded() const;  // the first device that has the module
  void load(const std::string& needed_for, Loaded& loaded);
  cudaError_t decode_for(const std::string& needed_for, Loaded& loaded);
  std::shared_ptr<const Program> decode_images(const std::vector<const Image*>& images,
                                               Loaded& loaded);
  void read_resources(Program& program);
  std::uint64_t place(const VariablePlacement& variable, Loaded& loaded);

  std::vector<Image> images_;
  std::string label_, unreadable_;
  std::mutex mutex_;
  Loaded loaded_[most_devices];  // by device
  bool has_managed_ = false;
  std::map<std::string, KernelResources> resources_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
  std::map<std::string, ModuleVariable> managed_;
  std::vector<void*> memory_;
};

// Host-side names of kernels and variables, and the handles that are alive.
class Registry {
 public:
  static Registry& get();  // never destroyed

  Module* add(std::vector<Image> images, std::string label);  // registered fatbin or library
  void remove(Module* module);                                // its handles become invalid
  bool knows(const Module* module) const;
  bool was_used() const;  // anything has ever been registered

  void add_function(Module* module, const void* host, const char* name);
  void add_variable(Module* module, const void* host, const char* name);

  // `symbol` is a host function, a cudaKernel_t or a cudaFunction_t; null when it is none of them.
  Kernel* find_kernel(const void* symbol) const;
  // On the current device. Throws ApiError{cudaErrorInvalidSymbol} when there is none.
  ModuleVariable variable(const void* host) const;
  void handle_made(Kernel* kernel);  // Module's own: a handle find_kernel() is to accept

 private:
  struct HostName {
    Module* module;
    std::string name;
  };
  std::optional<HostName> find(const std::map<const void*, HostName>& names,
                               const void* host) const;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Module>> modules_;
  bool used_ = false;
  std::map<const void*, HostName> functions_, variables_;
  std::map<const void*, Kernel*> handles_;
};

// find_kernel() or ApiError: cudaErrorInvalidDeviceFunction for null,
// cudaErrorInvalidResourceHandle for what is neither a kernel's host function nor a handle.
Kernel& kernel_of(const void* symbol);

// The address `offset` into a variable that has room for `bytes` there. Throws ApiError.
void* address_in_symbol(const void* symbol, std::size_t offset, std::size_t bytes);

}  // namespace aisp::sim
