// The Blackwell kernel against float64: one block and pairs, operands, clusters with multicast,
// every order of tiles, every main loop, ragged shapes. Prints "ok" and returns 0 when every
// element is right.
#include "tests/tile/kernels/blackwell_check.cuh"
#include "tile/collective/mainloop/tcgen05_copied_a.cuh"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::LaunchControl;
using tile::Persistent;
using tile::SingleTile;
using tile::Sm100Config;

template <Sm100Config config, class Schedule = Persistent,
          class Loop = tile::Tcgen05Operands<config>>
void run(const char* what, Size size) {
  Tcgen05Product<tile::Sm100Recipe<config, tile::Accumulator, Schedule, Loop>> product(size);
  product.run(what);
  check(what, size, product.a, product.b, product.d);
}

void run_shapes() {
  run<Sm100Config{.tile_n = 64, .stages = 3}>("one block", {200, 104, 271, 2});
  run<Sm100Config{.tile_m = 64, .tile_n = 40, .stages = 2}>("64 rows", {150, 104, 136, 2});
  run<Sm100Config{.tile_n = 256, .stages = 2, .accumulators = 1}>("one accumulator",
                                                                  {140, 264, 72, 1});
  run<Sm100Config{.tile_m = 256, .tile_n = 96, .stages = 3, .cta_group = 2}>("a pair",
                                                                             {300, 104, 271, 2});
  run<Sm100Config{.tile_n = 96, .stages = 3, .cta_group = 2}>("a pair of 64 rows each",
                                                              {200, 104, 200, 2});
  run<Sm100Config{.tile_n = 32, .stages = 1}>("one stage", {130, 40, 200, 1});
}

// Elements in the majors that no recipe of the library has, and the narrower swizzles.
void run_operands() {
  using enum Element;
  using enum Major;
  run<Sm100Config{.a = s8, .b = s8, .out = s32, .a_major = mn, .b_major = mn, .tile_n = 64}>(
      "s8 along m and n", {150, 72, 80, 1});
  run<Sm100Config{.a = e4m3,
                  .b = e5m2,
                  .b_major = mn,
                  .tile_m = 256,
                  .tile_n = 64,
                  .tile_k = 128,
                  .stages = 2,
                  .cta_group = 2}>("e4m3 by e5m2 along n", {270, 72, 144, 1});
  run<Sm100Config{.tile_n = 32, .tile_k = 32, .stages = 3}>("rows of 64 bytes", {130, 40, 104, 1});
  run<Sm100Config{.tile_n = 32, .tile_k = 16, .stages = 3}>("rows of 32 bytes", {130, 40, 40, 1});
  run<Sm100Config{.tile_n = 32, .swizzle = tile::SwizzleMode::none}>("no swizzle",
                                                                     {130, 40, 72, 1});
  run<Sm100Config{.a = tf32, .b = tf32, .out = f32, .tile_m = 64, .tile_n = 24, .tile_k = 32}>(
      "tf32", {70, 28, 52, 1});
}

void run_clusters() {
  constexpr Sm100Config shares_b{.tile_n = 64, .stages = 3, .cluster_m = 2};
  constexpr Sm100Config shares_a{.tile_n = 64, .stages = 3, .cluster_n = 2};
  constexpr Sm100Config pairs{
      .tile_m = 256, .tile_n = 64, .stages = 3, .cta_group = 2, .cluster_m = 2, .cluster_n = 2};
  run<shares_b>("B is shared", {270, 136, 271, 1});
  run<shares_a>("A is shared", {140, 136, 271, 1});
  run<pairs>("pairs share both", {520, 136, 136, 1});
  run<pairs, LaunchControl>("pairs share both by launch control", {520, 136, 72, 2});
  run<shares_b, LaunchControl>("B is shared by launch control", {530, 136, 72, 2});
}

void run_schedules() {
  constexpr Sm100Config one{.tile_n = 32, .stages = 3};
  constexpr Sm100Config pair{.tile_m = 256, .tile_n = 32, .stages = 3, .cta_group = 2};
  run<one, SingleTile>("a tile each", {200, 72, 136, 2});
  run<one, LaunchControl>("launch control", {400, 72, 72, 3});
  run<pair, LaunchControl>("launch control of pairs", {400, 72, 72, 3});
}

template <Sm100Config config>
void run_copied_a(const char* what, Size size) {
  run<config, Persistent, tile::Tcgen05CopiedA<config>>(what, size);
}
template <Sm100Config config, class Schedule = SingleTile>
void run_single_role(const char* what, Size size) {
  run<config, Schedule, tile::Tcgen05SingleRole<config>>(what, size);
}

void run_main_loops() {
  run_copied_a<Sm100Config{.tile_n = 32, .stages = 3, .a_in_tmem = true}>("A in tensor memory",
                                                                          {300, 40, 271, 1});
  run_copied_a<Sm100Config{
      .tile_m = 256, .tile_n = 32, .stages = 2, .cta_group = 2, .a_in_tmem = true}>(
      "A in the tensor memory of a pair", {300, 40, 271, 1});
  run_single_role<Sm100Config{.tile_n = 32, .stages = 1, .accumulators = 1}>("one role, one stage",
                                                                             {300, 40, 271, 1});
  run_single_role<Sm100Config{.tile_n = 32, .stages = 3}>("one role", {300, 40, 271, 1});
  run_single_role<Sm100Config{.tile_n = 32, .stages = 2}, Persistent>("one role, persistent",
                                                                      {530, 104, 136, 1});
}

}  // namespace

int main() {
  run_shapes();
  run_operands();
  run_clusters();
  run_schedules();
  run_main_loops();
  std::puts("ok");
}
