// Libraries: device code that the program loads by itself. Guarded by Runtime::mutex.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/runtime/module/module.hpp"

namespace aisp::sim {

// In all of these, `label` names the code in messages. Code that cannot be read is noted and throws
// ApiError{cudaErrorInvalidKernelImage}.

// The bytes of a fatbin, of nvcc's wrapper around one, or of PTX text: the program may free what it
// passed. With its size where the program states it.
std::string copy_of_code(const void* code, const std::string& label);
std::string copy_of_code(const void* code, std::size_t bytes, const std::string& label);
std::string code_of_file(const char* path, const std::string& label);
std::vector<Image> images_in(std::string_view code, const std::string& label);
std::string text_in(const Image& image, const std::string& label);

cudaLibrary_t load_library(std::string code, const std::string& label);
void unload_library(cudaLibrary_t handle);  // nothing of it runs any more

// Throws ApiError{cudaErrorInvalidResourceHandle}.
Module& module_of(cudaLibrary_t handle);
// Null: the program was linked with it.
cudaLibrary_t library_of(const Module& module);

}  // namespace aisp::sim
