// hazard: read-only-load
// One block hands a message to another: released and acquired as it should be, and then read by a
// byte-wide read-only load without allocation in L1.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 32;

template <bool fixed>
__global__ void hand_over(unsigned char* message, unsigned* flag, unsigned char* out) {
  if (blockIdx.x == 0) {
    message[threadIdx.x] = static_cast<unsigned char>(threadIdx.x + 7);
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    return;
  }
  if (threadIdx.x == 0) {
    unsigned seen = 0;
    while (seen == 0)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  }
  __syncthreads();
  unsigned value = 0;
  const unsigned char* const from = message + threadIdx.x;
  if (fixed)
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  else
    asm volatile("ld.global.nc.L1::no_allocate.u8 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  out[threadIdx.x] = static_cast<unsigned char>(value);
}

template <bool fixed>
bool run() {
  const hazard::Array<unsigned char> message(threads), out(threads);
  const hazard::Array<unsigned> flag(std::vector<unsigned>(1, 0));
  hand_over<fixed><<<2, threads>>>(message.get(), flag.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return static_cast<unsigned char>(i + 7); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
