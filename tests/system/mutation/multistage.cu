// The kernel of Ampere: all threads copy by cp.async and multiply by mma.sync.
#include "tests/tile/kernels/multistage_check.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

using namespace gemm_test;

constexpr Sm80Config config = small(Element::bf16, Major::k, Major::k);

}  // namespace

int main() {
  run<MmaSync<Element::bf16>, config, Element::f32, tile::Persistent>("product", {70, 130, 280, 1});
  std::puts("ok");
  return 0;
}
