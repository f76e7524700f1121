// hazard: stream-race
// Two streams copy columns of the same rows. Columns side by side are different memory although the
// rows interleave; in the bug they share one element.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  constexpr int rows = 8, columns = 64, half = columns / 2;
  constexpr std::size_t pitch = columns * sizeof(int);
  const host::Stream left, right;
  const hazard::Array<int> source(std::vector<int>(rows * columns, 7));
  hazard::Array<int> out(rows * columns);
  host::check(cudaMemcpy2DAsync(out.get(), pitch, source.get(), pitch,
                                (fixed ? half : half + 1) * sizeof(int), rows,
                                cudaMemcpyDeviceToDevice, left));
  host::check(cudaMemcpy2DAsync(out.get() + half, pitch, source.get(), pitch, half * sizeof(int),
                                rows, cudaMemcpyDeviceToDevice, right));
  hazard::finish();
  return out.holds([](int) { return 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
