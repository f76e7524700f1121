// hazard: shared-race
// Neighbouring bytes of one word are different memory locations and do not race; one byte that two
// threads store does. Warp 0 stores bytes 0 to 31, warp 1 stores 16-bit words from byte 32 on; in
// the bug warp 0 is one byte too far and meets the first word.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void store_bytes(unsigned char* out) {
  __shared__ alignas(4) unsigned char bytes[96];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32)
    for (int i = lane; i < (fixed ? 32 : 33); i += 32) bytes[i] = static_cast<unsigned char>(i + 1);
  else
    *reinterpret_cast<unsigned short*>(bytes + 32 + lane * 2) = 0x8081;
  __syncthreads();
  for (int i = threadIdx.x; i < 96; i += 64) out[i] = bytes[i];
}

template <bool fixed>
bool run() {
  hazard::Array<unsigned char> out(96);
  store_bytes<fixed><<<1, 64>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i < 32 ? i + 1 : i % 2 ? 0x80 : 0x81; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
