// A program or library with the static CUDA runtime linked into it does not run on the simulator.
// It is told, because nothing else shows it: once in a process.
#pragma once

namespace aisp::sim {

// Code of nvcc that asks nobody outside for __cudaRegisterFatBinary has the runtime inside.
bool has_own_runtime(const char* path);

// The same of the program or library that has the address.
bool is_static_runtime(const void* address);

// Found by looking at its file: nothing of it has come to the simulator.
void tell_that_it_runs_past(const char* path);
// It came to the simulator's driver and asked for what only NVIDIA's has; by an address in it.
void tell_that_driver_refuses(const void* address);

}  // namespace aisp::sim
