// Where the driver's functions are found, by the names and versions that programs ask for.
#pragma once

namespace aisp::sim::driver {

// The newest form of the function that is not newer than `version`: a base name ("cuMemAlloc"), as
// cuGetProcAddress takes it. `per_thread`: for programs whose stream 0 is the thread's own.
struct FoundEntry {
  void* function = nullptr;
  bool known = false;  // in some version
};
FoundEntry find_entry(const char* name, int version, bool per_thread);

}  // namespace aisp::sim::driver
