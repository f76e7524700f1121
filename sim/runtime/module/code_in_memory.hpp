// Device code that a program hands over as a pointer without a length. What its headers state is
// believed only as far as memory can be read: nothing here faults, whatever the pointer is.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/fatbin.hpp"

namespace aisp::sim {

// Bytes from the address on that this process can read, at most `most`.
std::size_t readable_bytes(const void* at, std::size_t most);

// A fatbin, an ELF image or zero-terminated PTX text; of nvcc's wrapper around a fatbin, the
// fatbin. Throws base::BrokenCode.
std::string_view code_at(const void* data);

// The images in it. A wrapper of relocatable device code has those of every translation unit.
std::vector<base::Image> images_at(const void* data);

}  // namespace aisp::sim
