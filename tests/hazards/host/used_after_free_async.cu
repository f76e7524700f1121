// hazard: freed-in-stream
// Memory is freed in stream order, and a kernel behind it in the same stream still reads it.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  // example begin: freed-in-stream
  const host::Stream stream;
  hazard::Array<int> out(host::count);
  int* memory = nullptr;
  host::check(cudaMallocAsync(&memory, host::bytes, stream));
  host::number<<<host::grid, host::block, 0, stream>>>(memory);
  if constexpr (!fixed) host::check(cudaFreeAsync(memory, stream));
  host::add_one<<<host::grid, host::block, 0, stream>>>(out.get(), memory);
  if constexpr (fixed) host::check(cudaFreeAsync(memory, stream));
  hazard::finish();
  // example end
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
