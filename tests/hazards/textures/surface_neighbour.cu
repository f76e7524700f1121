// hazard: global-race
// Every thread writes its texel through a surface and reads that of a thread in another warp
// through the same surface, with no barrier between the two.
#include "tests/hazards/textures/images.cuh"

namespace {

template <bool fixed>
__global__ void exchange(cudaSurfaceObject_t surface, int* out) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int bytes = x * static_cast<int>(sizeof(int));
  surf2Dwrite(y * images::side + x, surface, bytes, y);
  if constexpr (fixed) __syncthreads();
  out[y * images::side + x] = surf2Dread<int>(surface, bytes, images::side - 1 - y) + 1;
}

template <bool fixed>
bool run() {
  const images::Image image;
  hazard::Array<int> out(images::count);
  exchange<fixed><<<1, dim3(images::side, images::side)>>>(image.surface, out.get());
  hazard::finish();
  return out.holds([](int i) { return images::turned(i) + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
