// The main loops beside the plain one: A widened in registers, and sums of 8-bit floats collected
// outside the matrix unit. All element pairs, roles and clusters at ragged sizes, every element
// against float64. Where roles take turns there are more tiles than 8 blocks have warpgroups.
// Prints "ok" and returns 0 when all is right.
#include "tests/tile/kernels/hopper_check.cuh"
#include "tile/collective/mainloop/promoted_accumulators.cuh"
#include "tile/collective/mainloop/register_operand.cuh"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::Roles;
using tile::Sm90Config;
using tile::Sm90Recipe;

// out[code] holds a pair: `code` and, from the upper byte, 255 - code.
template <Element from, Element to>
__global__ void widen_all(std::uint32_t* out) {
  const std::uint32_t code = threadIdx.x;
  out[code] = tile::widen_pair<from, to>(code | (255 - code) << 8 | 0xabcd0000u);
}

// All 256 codes in both places, NaN for NaN, everything else bit by bit.
template <Element from, Element to>
void check_widening(const char* what) {
  auto* out = static_cast<std::uint32_t*>(device_memory(1024));
  widen_all<from, to><<<1, 256>>>(out);
  std::uint32_t pairs[256];
  require(cudaMemcpy(pairs, out, sizeof pairs, cudaMemcpyDeviceToHost), what);
  require(cudaFree(out), what);
  for (std::uint32_t i = 0; i < 512; ++i) {
    const std::uint32_t code = i < 256 ? i : 511 - i;
    const std::uint32_t got = i < 256 ? pairs[i] & 0xffff : pairs[i - 256] >> 16;
    const double number = decode(from, code), widened = decode(to, got);
    const bool nan = std::isnan(number) && std::isnan(widened);
    if (nan || (number == widened && std::signbit(number) == std::signbit(widened))) continue;
    std::fprintf(stderr, "%s: code 0x%02x is %g, widened it is %g\n", what, code, number, widened);
    std::exit(1);
  }
}

using RowScaled = tile::Multiply<tile::Accumulator, tile::RowVector<Element::f32>>;

// A's rows have their scales, as weights quantised row by row have.
template <Sm90Config config, class Schedule = tile::Persistent>
void run_mixed(const char* what, Size size) {
  using Recipe = Sm90Recipe<config, RowScaled, Schedule, tile::RegisterOperand<config>>;
  Product<Recipe> product(size);
  Matrix scales = Matrix::of_lines(Element::f32, Major::k, size.batch, 1, size.m, size.m);
  scales.fill(13, size.batch);
  scales.upload();
  product.run(
      what,
      {.left = {}, .right = {.data = static_cast<float*>(scales.data()), .batch_stride = size.m}});
  check_each(what, product.a, product.b, product.d, size.batch, dot_product,
             [&](DotProduct sum, int batch, int row, int) {
               const double scale = scales.at(batch, 0, row), value = scale * sum.value;
               return DotProduct{value, std::abs(scale) * sum.error + std::abs(value) * 0x1p-24};
             });
}

template <Element a, Element b>
void run_pair(const char* what) {
  check_widening<a, b>(what);
  constexpr Sm90Config config{.a = a, .b = b, .out = Element::f32, .tile_n = 64, .stages = 3};
  run_mixed<config>(what, {270, 88, 203, 2});
}

void run_mixed_configs() {
  using enum Element;
  using tile::Store;
  constexpr Sm90Config largest{.a = s8};
  run_mixed<largest>("s8 x bf16, 128x256", {131, 264, 330, 1});
  constexpr Sm90Config ping_pong{
      .a = e4m3, .out = f32, .tile_n = 128, .stages = 3, .roles = Roles::ping_pong};
  run_mixed<ping_pong>("e4m3 x bf16, ping-pong", {650, 304, 203, 1});
  constexpr Sm90Config slim{.a = s8,
                            .out = f32,
                            .b_major = Major::mn,
                            .tile_m = 64,
                            .tile_n = 48,
                            .tile_k = 32,
                            .stages = 5,
                            .roles = Roles::ping_pong,
                            .store = Store::direct};
  run_mixed<slim>("s8 x bf16, 64x48x32, B contiguous along n", {260, 152, 170, 1});
  constexpr Sm90Config rows{.a = s8, .out = f32, .tile_n = 64, .stages = 3, .cluster_m = 2};
  run_mixed<rows>("s8 x bf16, cluster 2x1", {300, 152, 203, 1});
  constexpr Sm90Config columns{
      .a = e5m2, .out = f32, .tile_n = 64, .tile_k = 128, .stages = 3, .cluster_n = 2};
  run_mixed<columns>("e5m2 x bf16, k 128, cluster 1x2", {140, 152, 333, 1});
  constexpr Sm90Config streamed{.a = s8, .b = f16, .out = f32, .tile_n = 64, .stages = 3};
  run_mixed<streamed, tile::StreamK>("s8 x f16, stream-K", {150, 88, 999, 1});
}

constexpr Sm90Config fp8_config(Element a, Element b, bool promote) {
  return {.a = a,
          .b = b,
          .out = Element::f32,
          .tile_n = 64,
          .tile_k = 128,
          .stages = 3,
          .promote = promote};
}

template <Sm90Config config>
void run_promoted(const char* what, Size size) {
  using Linear = tile::Linear<Element::f32>;
  using Recipe = Sm90Recipe<config, Linear, tile::Persistent, tile::PromotedAccumulators<config>>;
  Product<Recipe> product(size);
  typename Linear::Params tree{};
  tree.alpha.value = 0.75f;
  product.run(what, tree);
  check_each(
      what, product.a, product.b, product.d, size.batch,
      [](Numbers a, Numbers b) { return fp8_dot_product(a, b, config.tile_k); },
      [](DotProduct sum, int, int, int) {
        return DotProduct{0.75 * sum.value, 0.75 * sum.error + std::abs(sum.value) * 0x1p-24};
      });
}

template <class Recipe>
double largest_relative_error(const char* what, Size size) {
  Product<Recipe> product(size, false);
  product.run(what, {});
  double largest = 0;
  const auto compare = [&](DotProduct sum, int batch, int row, int column) {
    const double error = std::abs(product.d.at(batch, row, column) - sum.value);
    largest = std::max(largest, error / sum.value);
    return sum;
  };
  check_each(
      what, product.a, product.b, product.d, size.batch,
      [](Numbers a, Numbers b) {
        return fp8_dot_product(a, b, Recipe::config.promote ? Recipe::config.tile_k : a.size());
      },
      compare);
  return largest;
}

// Positive numbers, so that the sum outgrows its products: what promotion is for.
void compare_long_sums() {
  constexpr Sm90Config promoted = fp8_config(Element::e4m3, Element::e4m3, true);
  constexpr Sm90Config plain = fp8_config(Element::e4m3, Element::e4m3, false);
  using Promoted = Sm90Recipe<promoted, tile::Accumulator, tile::Persistent,
                              tile::PromotedAccumulators<promoted>>;
  using Plain = Sm90Recipe<plain, tile::Accumulator, tile::Persistent>;
  const Size size{70, 40, 4096, 1};
  const double with = largest_relative_error<Promoted>("promoted, long K", size);
  const double without = largest_relative_error<Plain>("plain, long K", size);
  std::fprintf(stderr, "largest relative error at K = %d: %.2e promoted, %.2e plain\n", size.k,
               with, without);
  if (8 * with < without) return;
  std::fprintf(stderr, "promotion should make the error at least 8 times smaller\n");
  std::exit(1);
}

}  // namespace

int main() {
  using enum Element;
  run_pair<s8, bf16>("s8 x bf16");
  run_pair<s8, f16>("s8 x f16");
  run_pair<e4m3, bf16>("e4m3 x bf16");
  run_pair<e4m3, f16>("e4m3 x f16");
  run_pair<e5m2, bf16>("e5m2 x bf16");
  run_pair<e5m2, f16>("e5m2 x f16");
  run_mixed_configs();

  run_promoted<fp8_config(e4m3, e4m3, true)>("e4m3 promoted, 3 k-blocks", {150, 88, 300, 2});
  run_promoted<fp8_config(e5m2, e5m2, true)>("e5m2 promoted, 2 k-blocks", {150, 88, 200, 1});
  run_promoted<fp8_config(e4m3, e5m2, true)>("e4m3 x e5m2 promoted, 1 k-block", {150, 88, 100, 1});
  run_promoted<fp8_config(e5m2, e4m3, true)>("e5m2 x e4m3 promoted", {150, 88, 801, 1});
  constexpr Sm90Config cluster{.a = e4m3,
                               .b = e4m3,
                               .tile_n = 128,
                               .tile_k = 128,
                               .stages = 5,
                               .cluster_m = 2,
                               .promote = true};
  run_promoted<cluster>("e4m3 promoted, 128x128, cluster 2x1", {300, 264, 500, 1});
  constexpr Sm90Config ping_pong{.a = e4m3,
                                 .b = e4m3,
                                 .out = f32,
                                 .tile_m = 64,
                                 .tile_n = 32,
                                 .tile_k = 128,
                                 .stages = 4,
                                 .roles = Roles::ping_pong,
                                 .promote = true};
  run_promoted<ping_pong>("e4m3 promoted, ping-pong", {400, 304, 700, 1});
  compare_long_sums();
  std::puts("ok");
}
