// The Blackwell kernel against float64: one block and pairs, clusters with multicast, every order
// of tiles, all elements and majors, ragged shapes. Prints "ok" and returns 0 when every element is
// right.
#include "tests/tile/kernels/blackwell_check.cuh"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::LaunchControl;
using tile::Persistent;
using tile::SingleTile;
using tile::UmmaConfig;

template <UmmaConfig config, class Schedule = Persistent>
void run(const char* what, Size size) {
  UmmaProduct<tile::UmmaRecipe<config, tile::Accumulator, Schedule>> product(size);
  product.run(what);
  check(what, size, product.a, product.b, product.d);
}

void run_shapes() {
  run<UmmaConfig{.tile_n = 64, .stages = 3}>("one block", {300, 200, 271, 2});
  run<UmmaConfig{.tile_m = 64, .tile_n = 40, .stages = 2}>("64 rows", {150, 104, 136, 2});
  run<UmmaConfig{.tile_n = 256, .stages = 2, .accumulators = 1}>("one accumulator",
                                                                 {200, 264, 72, 1});
  run<UmmaConfig{.tile_m = 256, .tile_n = 96, .stages = 3, .cta_group = 2}>("a pair",
                                                                            {530, 200, 271, 2});
  run<UmmaConfig{.tile_n = 96, .stages = 3, .cta_group = 2}>("a pair of 64 rows each",
                                                             {300, 200, 200, 2});
  run<UmmaConfig{.tile_n = 32, .stages = 1}>("one stage", {130, 40, 200, 1});
}

void run_clusters() {
  constexpr UmmaConfig shares_b{.tile_n = 64, .stages = 3, .cluster_m = 2};
  constexpr UmmaConfig shares_a{.tile_n = 64, .stages = 3, .cluster_n = 2};
  constexpr UmmaConfig pairs{
      .tile_m = 256, .tile_n = 64, .stages = 3, .cta_group = 2, .cluster_m = 2, .cluster_n = 2};
  run<shares_b>("B is shared", {400, 200, 271, 1});
  run<shares_a>("A is shared", {200, 296, 271, 1});
  run<pairs>("pairs share both", {1100, 200, 200, 1});
  run<pairs, LaunchControl>("pairs share both by launch control", {1100, 264, 136, 2});
  run<shares_b, LaunchControl>("B is shared by launch control", {530, 200, 136, 2});
}

void run_schedules() {
  constexpr UmmaConfig one{.tile_n = 32, .stages = 3};
  constexpr UmmaConfig pair{.tile_m = 256, .tile_n = 32, .stages = 3, .cta_group = 2};
  run<one, SingleTile>("a tile each", {300, 104, 136, 2});
  run<one, LaunchControl>("launch control", {700, 104, 136, 3});
  run<pair, LaunchControl>("launch control of pairs", {700, 104, 136, 3});
}

}  // namespace

int main() {
  run_shapes();
  run_clusters();
  run_schedules();
  std::puts("ok");
}
