// The Mandelbrot set: lanes that leave the loop at different turns, work taken from a queue of
// tiles by persistent blocks, colours by a table in constant memory; f32 and f64 agree with the
// host.
#include "check.hpp"

namespace {

constexpr int width = 64, height = 40, limit = 100, tile = 8;
__constant__ uchar4 colours[limit + 1];

template <class Real>
__host__ __device__ int turns(Real cx, Real cy) {
  Real x = 0, y = 0;
  for (int i = 0; i < limit; ++i) {
#ifdef __CUDA_ARCH__  // the same roundings as the host's, whatever the compiler would fuse
    Real xx, yy, xy;
    if constexpr (sizeof(Real) == 4)
      xx = __fmul_rn(x, x), yy = __fmul_rn(y, y), xy = __fmul_rn(x, y);
    else
      xx = __dmul_rn(x, x), yy = __dmul_rn(y, y), xy = __dmul_rn(x, y);
#else
    const Real xx = x * x, yy = y * y, xy = x * y;
#endif
    if (xx + yy > 4) return i;
    x = xx - yy + cx;
    y = xy + xy + cy;
  }
  return limit;
}

template <class Real>
__global__ void draw(uchar4* image, int* counts, unsigned* queue) {
  __shared__ unsigned next;
  for (;;) {
    if (threadIdx.x == 0 && threadIdx.y == 0) next = atomicAdd(queue, 1u);
    __syncthreads();
    const unsigned own = next;
    __syncthreads();
    if (own >= width / tile * (height / tile)) return;
    const int x = own % (width / tile) * tile + threadIdx.x,
              y = own / (width / tile) * tile + threadIdx.y;
    const Real cx = Real(-2) + Real(x) * Real(0.046875), cy = Real(-1.25) + Real(y) * Real(0.0625);
    const int count = turns(cx, cy);
    counts[y * width + x] = count;
    image[y * width + x] = colours[count];
  }
}

template <class Real>
void check(const std::vector<uchar4>& palette) {
  const OnDevice<uchar4> image(width * height);
  const OnDevice<int> counts(width * height);
  const OnDevice<unsigned> queue(std::vector<unsigned>(1, 0));
  draw<Real><<<5, dim3(tile, tile)>>>(image.get(), counts.get(), queue.get());
  finish();
  std::vector<int> want;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      want.push_back(
          turns(Real(-2) + Real(x) * Real(0.046875), Real(-1.25) + Real(y) * Real(0.0625)));
  expect_equal(counts.fetch(), want, "turns");
  const auto pixels = image.fetch();
  for (int i = 0; i < width * height; ++i)
    expect(pixels[i].x == palette[want[i]].x && pixels[i].w == 255, "colours");
}

}  // namespace

int main() {
  std::vector<uchar4> palette;
  for (int i = 0; i <= limit; ++i) palette.push_back(make_uchar4(i * 2, 255 - i, i * i % 256, 255));
  CHECK(cudaMemcpyToSymbol(colours, palette.data(), palette.size() * sizeof(uchar4)));
  check<float>(palette);
  check<double>(palette);
  return passed();
}
