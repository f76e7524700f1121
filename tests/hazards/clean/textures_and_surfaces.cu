// hazard: none
// Correct: many threads fetch the same texels, write texels of their own, read back what they wrote
// through the surface, and the next kernel fetches it.
#include "tests/hazards/textures/images.cuh"

namespace {

__global__ void add_neighbours(cudaTextureObject_t from, cudaSurfaceObject_t to) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
  const int bytes = x * static_cast<int>(sizeof(int));
  surf2Dwrite(tex2D<int>(from, x - 1, y) + tex2D<int>(from, x + 1, y), to, bytes, y);
  const int own = surf2Dread<int>(to, bytes, y);
  surf2Dwrite(own + tex2D<int>(from, x, y), to, bytes, y);
}

bool run() {
  images::Image images[2];
  std::vector<int> values(images::count);
  for (int i = 0; i < images::count; ++i) values[static_cast<std::size_t>(i)] = i % 7;
  images[0].fill(values);
  for (int round = 0; round < 4; ++round)
    add_neighbours<<<images::side, images::side>>>(images[round % 2].texture,
                                                   images[(round + 1) % 2].surface);
  hazard::finish();
  for (int round = 0; round < 4; ++round) {
    std::vector<int> next(values.size());
    for (int i = 0; i < images::count; ++i) {
      const int y = i / images::side, x = i % images::side;
      const auto at = [&](int column) {
        column = column < 0 ? 0 : column >= images::side ? images::side - 1 : column;
        return values[static_cast<std::size_t>(y * images::side + column)];
      };
      next[static_cast<std::size_t>(i)] = at(x - 1) + at(x) + at(x + 1);
    }
    values = next;
  }
  return images[0].holds([&](int i) { return values[static_cast<std::size_t>(i)]; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
