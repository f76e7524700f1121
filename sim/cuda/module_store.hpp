// What a program of the driver loads and allocates, by the context that it goes with.
#pragma once

#include <functional>
#include <string>

#include "sim/cuda/driver.hpp"
#include "sim/cuda/jit_options.hpp"
#include "sim/runtime/module/library.hpp"

namespace aisp::sim::driver {

// A CUmodule is a Module. All throw. `read_code` may: why goes to the log that the options name.
CUmodule load_module(const std::function<std::string()>& read_code, const std::string& label,
                     const JitOptions& options);
void unload_module(CUmodule handle);
Module& module_at(CUmodule handle);  // also one of the program's own
CUmodule handle_of_module(Module& module);
// The kernel of that name, which the module must have.
Kernel& kernel_named(Module& module, const char* name);

// The current context owns the memory from here on; nobody does.
void own_memory(void* memory);
void disown_memory(void* memory);

// Unloads and frees what the context owns. Its device is at rest.
void release_all_of(Context& context);

}  // namespace aisp::sim::driver
