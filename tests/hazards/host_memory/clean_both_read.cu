// hazard: none
// Host and kernel read the same managed memory at the same time: nobody writes.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  hazard::Array<int> out(host::count);
  host::add_one<<<host::grid, host::block, 0, stream>>>(out.get(), memory.device());
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  return seen == reachable::sum_of_numbers && out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
