// hazard: none
// The kernel works on one half of the managed memory while the host, and the system for it, work
// on the other.
#include <unistd.h>

#include "tests/hazards/host_memory/reachable.cuh"

namespace {

bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  constexpr int half = host::count / 2;
  reachable::twice<<<half / host::block, host::block, 0, stream>>>(memory.device());
  for (int i = half; i < host::count; ++i) memory.values[i] = 1;
  int ends[2];
  if (pipe(ends) != 0) return false;
  const auto size = static_cast<ssize_t>(64 * sizeof(int));
  const bool sent = write(ends[1], memory.values + half, size) == size &&
                    read(ends[0], memory.values + half + 64, size) == size;
  hazard::finish();
  close(ends[0]);
  close(ends[1]);
  return sent && memory.values[half + 64] == 1 && memory.values[1] == 2;
}

const hazard::Program program(__FILE__, run);

}  // namespace
