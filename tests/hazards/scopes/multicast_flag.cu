// hazard: global-race
// options: --device h200,sms=4,gpus=2
// A block stores to the memory of all devices and tells another block by a flag. The flag is
// relaxed, and the other block reads its device's memory, which nothing orders behind the store.
#include "tests/hazards/multicast.cuh"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void pass(std::uint32_t* all, std::uint32_t* own, std::uint32_t* out) {
  if (blockIdx.x == 0) {
    asm volatile("multimem.st.weak.global.u32 [%0], 42;" ::"l"(all) : "memory");
    if constexpr (fixed)
      asm volatile("multimem.red.release.gpu.global.add.u32 [%0], 1;" ::"l"(all + 64) : "memory");
    else
      asm volatile("multimem.red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(all + 64) : "memory");
  } else {
    while (ptx::load_relaxed(own + 64) == 0) {
    }
    ptx::fence_gpu();
    *out = *own;
  }
}

template <bool fixed>
bool run() {
  const multicast::Team team;
  hazard::Array<std::uint32_t> out(1);
  pass<fixed><<<2, 1>>>(reinterpret_cast<std::uint32_t*>(team.all),
                        reinterpret_cast<std::uint32_t*>(team.own[0]), out.get());
  hazard::finish();
  return out.holds([](int) { return 42; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
