// The cp.async kernel on the other instructions: four-byte and one-byte elements, Volta's product,
// dot products and multiply-adds of a thread. Prints "ok" and returns 0 when all is right.
#include "tests/tile/kernels/multistage_check.cuh"

using namespace aisp;

int main() {
  using namespace gemm_test;
  run_majors<MmaSync<Element::tf32>>("tf32 m16n8k8");
  run_majors<MmaSync<Element::s8>>("s8 m16n8k32");
  run_majors<MmaSync<Element::e4m3>>("e4m3 m16n8k32");
  run_majors<MmaSync<Element::e5m2>>("e5m2 m16n8k32");
  run_majors<tile::MmaVolta>("f16 m8n8k4");
  run_majors<Simt<Element::f32>>("f32 FMA");
  run_majors<Simt<Element::bf16>>("bf16 FMA");
  run_majors<Simt<Element::f16>>("f16 FMA");
  run_majors<Simt<Element::s8>>("s8 dp4a");
  std::puts("ok");
}
