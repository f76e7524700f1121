// hazard: stream-race
// Memory of cudaMallocAsync exists from its place in the stream on. Another stream that does not
// wait for that place may be too early.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream owner, user;
  hazard::Array<int> out(host::count);
  int* memory = nullptr;
  host::check(cudaMallocAsync(&memory, host::bytes, owner));
  if constexpr (fixed) host::order(owner, user);
  host::number<<<host::grid, host::block, 0, user>>>(memory);
  host::add_one<<<host::grid, host::block, 0, user>>>(out.get(), memory);
  host::order(user, owner);
  host::check(cudaFreeAsync(memory, owner));
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
