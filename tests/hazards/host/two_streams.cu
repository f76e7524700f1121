// hazard: stream-race
// One stream writes a buffer, another reads it. Nothing orders the two but the order of the calls,
// which orders nothing.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  // example begin: stream-race
  const host::Stream first, second;
  hazard::Array<int> between(host::count), out(host::count);
  host::number<<<host::grid, host::block, 0, first>>>(between.get());
  if constexpr (fixed) host::order(first, second);
  host::add_one<<<host::grid, host::block, 0, second>>>(out.get(), between.get());
  hazard::finish();
  // example end
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
