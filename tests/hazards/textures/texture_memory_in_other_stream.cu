// hazard: stream-race
// A texture on linear memory is that memory: a fill in another stream and a kernel that fetches
// from it need an order.
#include "tests/hazards/host/streams.cuh"
#include "tests/hazards/textures/images.cuh"

namespace {

__global__ void fetch(cudaTextureObject_t texture, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = tex1Dfetch<int>(texture, i);
}

template <bool fixed>
bool run() {
  hazard::Array<int> memory(images::count), out(images::count);
  const images::LinearTexture texture(memory);
  {
    const host::Stream first, second;
    images::check(cudaMemsetAsync(memory.get(), 0x11, images::count * sizeof(int), first));
    if constexpr (fixed) host::order(first, second);
    fetch<<<1, images::count, 0, second>>>(texture.handle, out.get());
    hazard::finish();
  }
  return out.holds([](int) { return 0x11111111; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
