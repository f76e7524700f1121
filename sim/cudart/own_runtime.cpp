// A program linked with the static CUDA runtime runs past the simulator: on a GPU where there is
// one, else it finds no device. It is told when it ends.
#include <link.h>
#include <unistd.h>

#include "sim/runtime/module/module.hpp"
#include "sim/runtime/state/static_runtime.hpp"

namespace aisp::sim {
namespace {

// When the program ends, and only where nothing has come to the simulator: a program may hand calls
// on that it seems to answer itself, and libraries of vendors have a runtime of their own, too.
[[gnu::destructor]] void look_at_program() {
  if (Registry::get().was_used() || Runtime::was_started()) return;
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) {
    path[length] = '\0';
    if (has_own_runtime(path)) return tell_that_it_runs_past(path);
  }
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void*) {
        if (object->dlpi_name == nullptr || *object->dlpi_name == '\0') return 0;
        if (!has_own_runtime(object->dlpi_name)) return 0;
        tell_that_it_runs_past(object->dlpi_name);
        return 1;
      },
      nullptr);
}

}  // namespace
}  // namespace aisp::sim
