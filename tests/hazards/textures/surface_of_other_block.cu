// hazard: read-only-load
// The last block to arrive reads through a surface what the others wrote through it. The counter
// orders the accesses, but a surface load may be answered from the multiprocessor's own cache.
#include "tests/hazards/textures/images.cuh"

namespace {

__device__ void add_rows(cudaSurfaceObject_t surface, int* out) {
  const int x = static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int y = 0; y < images::side; ++y)
    sum += surf2Dread<int>(surface, x * static_cast<int>(sizeof(int)), y);
  out[x] = sum;
}

template <bool fixed>
__global__ void write_rows(cudaSurfaceObject_t surface, unsigned* arrived, int* out) {
  __shared__ bool last;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
  surf2Dwrite(x + y, surface, x * static_cast<int>(sizeof(int)), y);
  if constexpr (fixed) return;
  __threadfence();
  __syncthreads();
  if (x == 0) last = atomicAdd(arrived, 1u) == images::side - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  add_rows(surface, out);
}

__global__ void add_all(cudaSurfaceObject_t surface, int* out) { add_rows(surface, out); }

template <bool fixed>
bool run() {
  const images::Image image;
  hazard::Array<unsigned> arrived(1);
  hazard::Array<int> out(images::side);
  write_rows<fixed><<<images::side, images::side>>>(image.surface, arrived.get(), out.get());
  if constexpr (fixed) add_all<<<1, images::side>>>(image.surface, out.get());
  hazard::finish();
  return out.holds([](int x) { return images::side * x + images::side * (images::side - 1) / 2; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
