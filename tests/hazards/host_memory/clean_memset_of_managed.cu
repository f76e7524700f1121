// hazard: none
// cudaMemset of memory that the host can reach returns when it is done.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

bool run() {
  const reachable::Managed managed;
  const reachable::Mapped mapped;
  host::check(cudaMemset(managed.device(), 0, host::bytes));
  const long one = reachable::sum(managed.values);
  host::check(cudaMemset(mapped.device(), 0, host::bytes));
  return one == 0 && reachable::sum(mapped.values) == 0;
}

const hazard::Program program(__FILE__, run);

}  // namespace
