// The process's memory as a file, where the protection of pages does not count.
#pragma once

#include <cstddef>

namespace aisp::sim::watch {

// False: the system does not let it.
bool peek(void* to, const void* from, std::size_t bytes);
bool poke(void* to, const void* from, std::size_t bytes);

}  // namespace aisp::sim::watch
