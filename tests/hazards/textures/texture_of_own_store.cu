// hazard: read-only-load
// A thread stores through a pointer and fetches the same word through a texture on that memory: not
// even its own stores are sure to be seen there within one launch.
#include "tests/hazards/textures/images.cuh"

namespace {

template <bool fixed>
__global__ void store_and_fetch(int* memory, cudaTextureObject_t texture, int* out) {
  const int i = static_cast<int>(threadIdx.x);
  memory[i] = 5 * i;
  out[i] = fixed ? memory[i] : tex1Dfetch<int>(texture, i);
}

template <bool fixed>
bool run() {
  hazard::Array<int> memory(images::count), out(images::count);
  const images::LinearTexture texture(memory);
  store_and_fetch<fixed><<<1, images::count>>>(memory.get(), texture.handle, out.get());
  hazard::finish();
  return out.holds([](int i) { return 5 * i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
