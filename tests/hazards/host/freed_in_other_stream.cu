// hazard: freed-in-stream
// Memory is freed in the stream that allocated it while another stream still works on it.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream owner, user;
  hazard::Array<int> out(host::count);
  int* memory = nullptr;
  host::check(cudaMallocAsync(&memory, host::bytes, owner));
  host::number<<<host::grid, host::block, 0, owner>>>(memory);
  host::order(owner, user);
  host::add_one<<<host::grid, host::block, 0, user>>>(out.get(), memory);
  if constexpr (fixed) host::order(user, owner);
  host::check(cudaFreeAsync(memory, owner));
  hazard::finish();
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
