// The Blackwell kernel with block scales against float64: every kind and pair of elements, one
// block and pairs, tiles that begin inside a block of scales, ragged shapes, clusters, one role.
// Prints "ok" and returns 0 when every element is right.
#include "tests/tile/kernels/scaled_on_host.hpp"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan_sm100.cuh"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::Persistent;
using tile::Sm100Config;

template <Sm100Config config, class Schedule = Persistent,
          class Loop = tile::Tcgen05Operands<config>>
void run(const char* what, Size size) {
  using Recipe = tile::Sm100Recipe<config, tile::Scaled<tile::Accumulator>, Schedule, Loop>;
  ScaledMatrix a(config.a, config.scaling, size.batch, size.m, size.k);
  ScaledMatrix b(config.b, config.scaling, size.batch, size.n, size.k);
  Matrix d = Matrix::of_lines(config.out, Major::k, size.batch, size.m, size.n,
                              padded_line(size.n, config.out));
  a.fill(21), b.fill(22);
  a.upload(), b.upload(), d.upload();
  tile::device::GemmProblem problem{
      .m = size.m, .n = size.n, .k = size.k, .batch = size.batch, .a = a.view(), .b = b.view()};
  problem.d = {.data = d.data(),
               .element = config.out,
               .stride = d.row_stride,
               .batch_stride = d.batch_stride};
  problem.alpha = 0.5f;
  const auto launch = tile::device::plan<Recipe>(problem);
  launch(nullptr);
  launch(nullptr);  // a second one finds tensor memory as the first has left it
  require(cudaDeviceSynchronize(), what);
  d.download();
  check_scaled(
      what, a, b, [&](int batch, int row, int column) { return d.at(batch, row, column); },
      rounding_of(config.out), problem.alpha);
  if (d.gaps_untouched(size.batch)) return;
  std::fprintf(stderr, "%s: wrote between the rows of D\n", what);
  std::exit(1);
}

constexpr Sm100Config of(Element a, Element b, Scaling scaling, Sm100Config rest) {
  rest.a = a, rest.b = b, rest.scaling = scaling, rest.out = Element::f32;
  rest.tile_k = rest.packs() ? 256 : 128;
  return rest;
}
using enum Element;
constexpr Sm100Config one{.tile_n = 64, .stages = 3};
constexpr Sm100Config pair{.tile_m = 256, .tile_n = 128, .stages = 3, .cta_group = 2};

void run_kinds() {
  run<of(e2m1, e2m1, Scaling::nv, one)>("nvfp4", {200, 168, 720, 2});
  run<of(e2m1, e2m1, Scaling::mx, one)>("mxfp4", {200, 168, 720, 2});
  run<of(e4m3, e4m3, Scaling::mx, one)>("mxfp8", {200, 168, 400, 2});
  run<of(e5m2, e4m3, Scaling::mx, one)>("e5m2 by e4m3", {140, 72, 272, 1});
  run<of(e4m3, e2m1, Scaling::mx, one)>("e4m3 by e2m1", {140, 72, 384, 2});
  run<of(e3m2, e5m2, Scaling::mx, one)>("e3m2 by e5m2", {140, 72, 256, 1});
  run<of(e2m3, e2m3, Scaling::mx, one)>("e2m3", {140, 72, 256, 2});
  run<of(e2m1, e3m2, Scaling::mx, one)>("e2m1 by e3m2", {140, 72, 384, 1});
}

void run_pairs() {
  run<of(e2m1, e2m1, Scaling::nv, pair)>("a pair of nvfp4", {300, 264, 560, 2});
  run<of(e2m1, e2m1, Scaling::mx, pair)>("a pair of mxfp4", {300, 136, 560, 1});
  run<of(e4m3, e4m3, Scaling::mx, pair)>("a pair of mxfp8", {300, 136, 400, 1});
  run<of(e4m3, e2m3, Scaling::mx, pair)>("a pair of e4m3 by e2m3", {300, 136, 256, 1});
}

// Columns of a tile begin at any multiple of 32 of the scales' 128.
void run_tiles() {
  run<of(e2m1, e2m1, Scaling::nv, {.tile_n = 96, .stages = 2})>("96 columns", {130, 400, 320, 1});
  run<of(e2m1, e2m1, Scaling::nv, {.tile_n = 192, .stages = 2, .accumulators = 1})>(
      "192 columns", {130, 400, 320, 1});
  run<of(e4m3, e4m3, Scaling::mx, {.tile_n = 32, .stages = 2})>("32 columns", {130, 264, 160, 1});
  run<of(e2m1, e2m1, Scaling::nv,
         {.tile_m = 256, .tile_n = 256, .stages = 2, .cta_group = 2, .accumulators = 1})>(
      "256 columns of a pair", {270, 392, 560, 1});
  run<of(e2m1, e2m1, Scaling::nv, {.tile_n = 64, .stages = 2, .cluster_m = 2, .cluster_n = 2})>(
      "a cluster", {270, 200, 560, 1});
}

template <Sm100Config config>
void run_single_role(const char* what, Size size) {
  run<config, tile::SingleTile, tile::Tcgen05SingleRole<config>>(what, size);
}

void run_main_loops() {
  run_single_role<of(e2m1, e2m1, Scaling::nv, {.tile_n = 64, .stages = 1, .accumulators = 1})>(
      "one role, one stage", {200, 136, 720, 1});
  run_single_role<of(e4m3, e4m3, Scaling::mx, {.tile_n = 64, .stages = 3})>("one role",
                                                                            {200, 136, 528, 1});
  run<of(e2m1, e2m1, Scaling::nv, pair), tile::LaunchControl>("launch control of pairs",
                                                              {530, 264, 320, 2});
}

}  // namespace

int main() {
  run_kinds();
  run_pairs();
  run_tiles();
  run_main_loops();
  std::puts("ok");
}
