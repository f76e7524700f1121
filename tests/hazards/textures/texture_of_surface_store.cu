// hazard: read-only-load
// A kernel writes an array through a surface and fetches from it through a texture. The barrier
// orders the two, but the texture's cache does not hear of the grid's own writes (programming
// guide, 'Read/Write Coherency').
#include "tests/hazards/textures/images.cuh"

namespace {

__global__ void write_and_fetch(cudaSurfaceObject_t surface, cudaTextureObject_t texture,
                                int* out) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  surf2Dwrite(y * images::side + x, surface, x * static_cast<int>(sizeof(int)), y);
  __syncthreads();
  out[y * images::side + x] = tex2D<int>(texture, x, images::side - 1 - y) + 1;
}

template <bool fixed>
bool run() {
  const images::Image image;
  hazard::Array<int> out(images::count);
  const dim3 block(images::side, images::side);
  if constexpr (fixed) {
    images::number<<<1, block>>>(image.surface);
    images::read_back<<<1, block>>>(image.texture, out.get());
  } else {
    write_and_fetch<<<1, block>>>(image.surface, image.texture, out.get());
  }
  hazard::finish();
  return out.holds([](int i) { return images::turned(i) + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
