// The cp.async kernel on the matrix instructions of 16-bit elements, in all majors and several
// configurations, at ragged sizes. Prints "ok" and returns 0 when all elements are right.
#include "tests/tile/kernels/multistage_check.cuh"
#include "tile/schedule/persistent.hpp"

using namespace aisp;

namespace {

using namespace gemm_test;

void run_configs() {
  using Bf16 = MmaSync<Element::bf16>;
  run<Bf16, Sm80Config{}, Element::bf16>("bf16 128x256x32", {133, 260, 100, 1});
  run<Bf16, Sm80Config{.tile_n = 128, .tile_k = 64, .stages = 2}, Element::f32>(
      "bf16 128x128x64, 2 stages", {129, 140, 200, 1});
  run<Bf16, Sm80Config{.tile_n = 128, .stages = 5, .b_major = Major::mn}, Element::f16>(
      "bf16 128x128x32, 5 stages", {20, 130, 70, 1});
  run<Bf16, small(Element::bf16, Major::k, Major::k), Element::f32, tile::Persistent>(
      "bf16 persistent", {130, 140, 90, 2});
  run<Bf16, small(Element::bf16, Major::k, Major::k), Element::f32>("bf16 1x1x1", {1, 1, 1, 1});
  run<Simt<Element::f32>, Sm80Config{.tile_n = 128, .tile_k = 16, .stages = 3}, Element::f32>(
      "f32 128x128x16 by FMA", {130, 129, 35, 1});
}

}  // namespace

int main() {
  run_majors<MmaSync<Element::bf16>>("bf16 m16n8k16");
  run_majors<MmaSync<Element::bf16, 8>>("bf16 m16n8k8");
  run_majors<MmaSync<Element::f16>>("f16 m16n8k16");
  run_majors<MmaSync<Element::f16, 8>>("f16 m16n8k8");
  run_configs();
  std::puts("ok");
}
