// hazard: stream-race
// One stream copies an image into an array, another launches the kernel that fetches from it, and
// no event lies between them.
#include "tests/hazards/host/streams.cuh"
#include "tests/hazards/textures/images.cuh"

namespace {

template <bool fixed>
bool run() {
  const images::Image image;
  hazard::Array<int> source(images::count), out(images::count);
  host::number<<<images::count / host::block, host::block>>>(source.get());
  hazard::finish();
  {
    const host::Stream first, second;
    images::check(cudaMemcpy2DToArrayAsync(image.array, 0, 0, source.get(), images::row,
                                           images::row, images::side, cudaMemcpyDeviceToDevice,
                                           first));
    if constexpr (fixed) host::order(first, second);
    images::read_back<<<1, dim3(images::side, images::side), 0, second>>>(image.texture, out.get());
    hazard::finish();
  }
  return out.holds([](int i) { return images::turned(i) + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
