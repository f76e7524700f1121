// What the code that nvcc generates calls before main(): device code and host-side names are noted,
// nothing is loaded.
#include <cstring>
#include <utility>
#include <vector>

#include "sim/cudart/entry.hpp"
#include "sim/cudart/launch/call_configuration.hpp"
#include "sim/runtime/module/code_in_memory.hpp"
#include "sim/runtime/module/module.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

namespace aisp::sim {
namespace {

// The handle that generated code passes around.
struct Registration {
  Module* module = nullptr;
};

Module* registered_module(void** handle) { return reinterpret_cast<Registration*>(handle)->module; }

// <<<...>>> pushes, the kernel's stub pops: launches in an argument of a launch nest.
struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};
thread_local std::vector<CallConfiguration> configurations;
thread_local bool popped = false;

}  // namespace

bool take_call_configuration() { return std::exchange(popped, false); }

}  // namespace aisp::sim

AISP_API void** __cudaRegisterFatBinary(void* data) {
  using namespace sim;
  auto* registration = new Registration;
  try {
    registration->module = Registry::get().add(images_at(data), "this program");
  } catch (const std::exception& error) {
    // As with CUDA, a program that runs none of it does not notice.
    registration->module = Registry::get().add({}, "this program");
    registration->module->set_unreadable(error.what());
  }
  return reinterpret_cast<void**>(registration);
}

AISP_API void __cudaRegisterFatBinaryEnd(void**) {}

AISP_API void __cudaUnregisterFatBinary(void** handle) {
  sim::Module* module = sim::registered_module(handle);
  if (!module->programs().empty()) sim::wait_all_devices();  // its kernels may be under way
  sim::Registry::get().remove(module);
  delete reinterpret_cast<sim::Registration*>(handle);
}

AISP_API void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int,
                                     uint3*, uint3*, dim3*, dim3*, int*) {
  sim::Registry::get().add_function(sim::registered_module(handle), host, name);
}

AISP_API void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t,
                                int, int) {
  sim::Registry::get().add_variable(sim::registered_module(handle), host, name);
}

AISP_API void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int,
                                       size_t bytes, int, int) {
  sim::api_always([&](sim::Runtime&) {
    sim::Module* module = sim::registered_module(handle);
    *host = module->add_managed(name, bytes);
    sim::Registry::get().add_variable(module, host, name);
    return cudaSuccess;
  });
}

// Host code is about to read a __managed__ variable: its initial value must be there.
AISP_API char __cudaInitModule(void** handle) {
  return sim::api([&](sim::Runtime&) {
           sim::Module* module = sim::registered_module(handle);
           if (module->has_managed()) module->program("a __managed__ variable");
           return cudaSuccess;
         }) == cudaSuccess;
}

AISP_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                              CUstream_st* stream) {
  sim::configurations.push_back({grid, block, shared, stream});
  return 0;
}

AISP_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                                void* stream) {
  using sim::configurations;
  if (configurations.empty()) return sim::record_error(cudaErrorMissingConfiguration);
  const sim::CallConfiguration top = configurations.back();
  configurations.pop_back();
  sim::popped = true;
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  std::memcpy(stream, &top.stream, sizeof top.stream);
  return cudaSuccess;
}
