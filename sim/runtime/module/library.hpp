// Libraries: device code that the program loads by itself. Guarded by Runtime::mutex.
#pragma once

#include <string>

#include "sim/runtime/module/module.hpp"

namespace aisp::sim {

// The bytes of a fatbin, of nvcc's wrapper around one, or of PTX text: the program may free what it
// passed.
std::string copy_of_code(const void* code);

// `label` names it in messages. Throws ApiError{cudaErrorInvalidKernelImage}.
cudaLibrary_t load_library(std::string code, const std::string& label);
void unload_library(cudaLibrary_t handle);  // nothing of it runs any more

// Throws ApiError{cudaErrorInvalidResourceHandle}.
Module& module_of(cudaLibrary_t handle);
// Null: the program was linked with it.
cudaLibrary_t library_of(const Module& module);

}  // namespace aisp::sim
