// Counts what a program calls of the CUDA runtime, and what it allocates beside it. For programs
// that are linked with counted_runtime.cpp, whose functions stand before the runtime's of the same
// name.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace aisp::counted_runtime {

struct Counts {
  std::map<std::string, int> calls;  // by the function's name
  int allocations = 0;               // with operator new, those of the runtime apart
};

Counts count(const std::function<void()>& work);

}  // namespace aisp::counted_runtime
