// hazard: stream-race
// A kernel writes an array through a surface while another stream copies the array to memory.
#include "tests/hazards/host/streams.cuh"
#include "tests/hazards/textures/images.cuh"

namespace {

template <bool fixed>
bool run() {
  const images::Image image;
  hazard::Array<int> out(images::count);
  {
    const host::Stream first, second;
    images::number<<<1, dim3(images::side, images::side), 0, first>>>(image.surface);
    if constexpr (fixed) host::order(first, second);
    images::check(cudaMemcpy2DFromArrayAsync(out.get(), images::row, image.array, 0, 0, images::row,
                                             images::side, cudaMemcpyDeviceToDevice, second));
    hazard::finish();
  }
  return out.holds([](int i) { return i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
