// The kernels that TMA feeds without a role for it: wgmma from one stage to four, all
// swizzles, both majors, several elements, and mma.sync; batches, ragged sizes, more tiles than
// blocks. Prints "ok" and returns 0 when all elements are right.
#include "tests/tile/kernels/gemm_on_host.hpp"
#include "tile/device/gemm/plan_sm80.cuh"
#include "tile/device/gemm/plan_sm90.cuh"
#include "tile/schedule/single.hpp"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::Sm80Config;
using tile::Sm90Config;
using tile::Store;
using tile::SwizzleMode;

int padded(int length, Element element) {
  const int unit = 16 / bytes_of(element);
  return (ceil_div(length, unit) + 1) * unit;
}

struct Operands {
  Matrix a, b, d;

  Operands(Size size, Element element, Major a_major, Major b_major, Element out)
      : a(Matrix::of_lines(element, a_major, size.batch, size.m, size.k,
                           padded(a_major == Major::k ? size.k : size.m, element))),
        b(Matrix::of_lines(element, b_major, size.batch, size.n, size.k,
                           padded(b_major == Major::k ? size.k : size.n, element))),
        d(Matrix::of_lines(out, Major::k, size.batch, size.m, size.n, padded(size.n, out))) {
    a.fill(1, size.batch);
    b.fill(2, size.batch);
    for (Matrix* matrix : {&a, &b, &d}) matrix->upload();
  }

  tile::device::GemmProblem problem(Size size) const {
    const auto described = [](const Matrix& matrix) {
      const bool by_rows = matrix.column_stride == 1;
      return tile::device::Matrix{matrix.data(), matrix.element,
                                  by_rows ? matrix.row_stride : matrix.column_stride,
                                  by_rows ? Major::k : Major::mn, matrix.batch_stride};
    };
    return {.m = size.m,
            .n = size.n,
            .k = size.k,
            .batch = size.batch,
            .a = described(a),
            .b = described(b),
            .d = described(d)};
  }

  // Twice: the second launch finds what the first left in shared memory and on the device.
  void check_run(const char* what, Size size, const tile::device::GemmBind& bind) {
    const auto run = bind(problem(size));
    run(nullptr);
    run(nullptr);
    require(cudaDeviceSynchronize(), what);
    d.download();
    check(what, size, a, b, d);
  }
};

void* no_workspace(std::size_t) { return nullptr; }

template <class Recipe>
void run_single_role(const char* what, Size size) {
  constexpr Sm90Config config = Recipe::config;
  Operands operands(size, config.a, config.a_major, config.b_major, config.out);
  operands.check_run(what, size,
                     tile::device::shape_plan<Recipe>(operands.problem(size), {},
                                                      {.raster = {.group = 2}}, no_workspace));
}

template <Sm90Config config, class Schedule = tile::SingleTile>
struct Single : tile::Sm90SingleRoleRecipe<config, tile::Accumulator, Schedule> {};

template <Sm80Config config, Element element, class Schedule = tile::SingleTile>
struct Fed : tile::Sm80Recipe<tile::MmaSync<element>, config,
                              tile::FragmentEpilogue<tile::Accumulator, accumulator_of(element)>,
                              Schedule, tile::TmaFeed> {};

template <class Recipe>
void run_fed(const char* what, Size size) {
  constexpr Element element = Recipe::Atom::element;
  Operands operands(size, element, Recipe::config.a_major, Recipe::config.b_major,
                    accumulator_of(element));
  operands.check_run(
      what, size,
      tile::device::multistage_plan<Recipe>(operands.problem(size), {}, {.raster = {.group = 2}}));
}

constexpr Sm90Config stages_of(int stages, SwizzleMode swizzle = SwizzleMode::bytes_128) {
  return {
      .tile_m = 128, .tile_n = 128, .stages = stages, .store = Store::direct, .swizzle = swizzle};
}
constexpr Sm90Config of_element(Element element, Element out) {
  return {.a = element,
          .b = element,
          .out = out,
          .tile_m = 64,
          .tile_n = 64,
          .tile_k = 128 / bytes_of(element),
          .stages = 3,
          .math_warpgroups = 1,
          .store = Store::tma};
}
constexpr Sm90Config of_majors(Major a, Major b, SwizzleMode swizzle) {
  Sm90Config config = stages_of(2, swizzle);
  config.a_major = a;
  config.b_major = b;
  return config;
}

void run_wgmma() {
  using tile::Persistent;
  const Size ragged{264, 200, 328, 1};
  run_single_role<Single<stages_of(1)>>("1 stage", ragged);
  run_single_role<Single<stages_of(2)>>("2 stages", ragged);
  run_single_role<Single<stages_of(4)>>("4 stages", ragged);
  run_single_role<Single<stages_of(1), Persistent>>("1 stage, persistent", {1500, 1304, 72, 1});
  run_single_role<Single<stages_of(4), Persistent>>("4 stages, persistent", {1500, 1304, 136, 1});
  run_single_role<Single<stages_of(4)>>("fewer k-blocks than stages", {70, 72, 8, 3});
  run_single_role<Single<stages_of(1, SwizzleMode::none)>>("no swizzle", ragged);
  run_single_role<Single<stages_of(3, SwizzleMode::bytes_32)>>("32 bytes", ragged);
  run_single_role<Single<stages_of(2, SwizzleMode::bytes_64)>>("64 bytes", ragged);
  using enum Major;
  run_single_role<Single<of_majors(mn, mn, SwizzleMode::bytes_128)>>("mn-major", ragged);
  run_single_role<Single<of_majors(mn, k, SwizzleMode::none)>>("mn-major, plain", ragged);
  using enum Element;
  run_single_role<Single<of_element(f16, f16)>>("f16", {70, 72, 328, 2});
  run_single_role<Single<of_element(tf32, f32)>>("tf32", {70, 72, 136, 1});
  run_single_role<Single<of_element(e4m3, bf16)>>("e4m3", {70, 72, 400, 1});
  run_single_role<Single<of_element(s8, s32)>>("s8", {70, 72, 400, 1});
}

constexpr Sm80Config small(int tile_k, Major a_major, Major b_major) {
  return {.tile_m = 64,
          .tile_n = 64,
          .tile_k = tile_k,
          .stages = 3,
          .warps_m = 2,
          .warps_n = 2,
          .a_major = a_major,
          .b_major = b_major};
}

void run_mma_sync() {
  using enum Major;
  using enum Element;
  run_fed<Fed<Sm80Config{}, bf16>>("mma.sync 128x256x32", {133, 260, 104, 1});
  run_fed<Fed<small(32, k, k), bf16, tile::Persistent>>("mma.sync, persistent", {700, 600, 88, 2});
  run_fed<Fed<small(64, mn, mn), f16>>("mma.sync f16, mn-major", {72, 80, 200, 1});
  run_fed<Fed<small(64, k, k), s8>>("mma.sync s8", {70, 72, 16, 3});
}

}  // namespace

int main() {
  run_wgmma();
  run_mma_sync();
  std::puts("ok");
}
