// What a user calls for block scales: matrices are quantised on the device as on the host, gemm()
// multiplies them in every format that it has, writes outputs with block scales, and refuses the
// rest. Prints "ok" and returns 0 when all is right.
#include <string>

#include "base/refuse.hpp"
#include "tests/tile/kernels/scaled_on_host.hpp"
#include "tile/atom/quantize.hpp"
#include "tile/device/gemm/gemm.hpp"
#include "tile/device/quantize/quantize.hpp"

using namespace aisp;

namespace {

using namespace gemm_test;
using enum Element;
using tile::device::GemmProblem;

[[noreturn]] void fail(const char* what, const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", what, why.c_str());
  std::exit(1);
}

void check_quantized(Element from, Element to, Scaling scaling, float matrix_scale) {
  const std::string what = base::say(name_of(from), " to ", name_of(to));
  const int rows = 70, k = 200;
  Matrix source = Matrix::of_lines(from, Major::k, 1, rows, k, k + 8);
  source.fill(5, 1);
  for (int column = 32; column < 64; ++column) source.set(0, 3, column, 0);  // blocks of zeros
  source.set(0, 4, 7, INFINITY);
  ScaledMatrix host(to, scaling, 1, rows, k), device(to, scaling, 1, rows, k);
  std::fill(host.scales.begin(), host.scales.end(), 0xEE);
  device.scales = host.scales;
  source.upload(), device.upload();
  tile::device::QuantizeProblem problem{.rows = rows,
                                        .k = k,
                                        .from = source.data(),
                                        .from_element = from,
                                        .from_stride = k + 8,
                                        .to = device.view(matrix_scale)};
  if (!std::isinf(tile::device::largest_magnitude(problem)))
    fail(what.c_str(), "the largest magnitude is not infinite");
  auto few = problem;
  few.rows = 4;
  double largest = 0;
  for (int row = 0; row < few.rows; ++row)
    for (int column = 0; column < k; ++column)
      largest = std::max(largest, std::abs(source.at(0, row, column)));
  if (tile::device::largest_magnitude(few) != largest)
    fail(what.c_str(), "the largest magnitude of four rows is wrong");
  tile::device::quantize(problem);
  require(cudaDeviceSynchronize(), what.c_str());
  device.download();
  std::vector<unsigned char> bytes(static_cast<std::size_t>(rows) * (k + 8) * bytes_of(from));
  require(cudaMemcpy(bytes.data(), source.data(), bytes.size() - 8 * bytes_of(from),
                     cudaMemcpyDeviceToHost),
          "source");
  problem.from = bytes.data();
  problem.to.data = host.codes.data(), problem.to.scales = host.scales.data();
  tile::device::quantize_on_host(problem);
  if (host.codes != device.codes) fail(what.c_str(), "codes differ between device and host");
  if (host.scales != device.scales) fail(what.c_str(), "scales differ between device and host");
  if (!host.gaps_untouched()) fail(what.c_str(), "wrote between the rows");
  // Half of the distance to the next number; a scale that was rounded down, by a sixteenth at most,
  // leaves the largest out of reach.
  const Fields f = fields_of(to);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < k; ++column) {
      const int block = column / tile::scaled_together(scaling);
      if (row == 4 && block == 0) continue;
      const double want = source.at(0, row, column), got = host.at(0, row, column) * matrix_scale;
      const double unit = scale_number(scaling, host.scale(0, row, block)) * matrix_scale;
      const double allowed = std::ldexp(std::abs(want), -f.fraction - 1) +
                             std::ldexp(unit, 1 - (1 << (f.exponent - 1)) - f.fraction) +
                             (scaling == Scaling::nv ? 6 * unit / 16 : 0);
      if (!(std::abs(got - want) <= allowed))
        fail(what.c_str(), base::say("element (", row, ", ", column, ") is ", got, ", not ", want));
    }
  const unsigned marked = host.scale(0, 4, 0);
  if (marked != (scaling == Scaling::nv ? 0x7Fu : 0xFFu)) fail(what.c_str(), "infinity was lost");
}

GemmProblem stated(Size size, const ScaledMatrix& a, const ScaledMatrix& b) {
  return {.m = size.m,
          .n = size.n,
          .k = size.k,
          .batch = size.batch,
          .a = a.view(),
          .b = b.view(),
          .c = {},
          .d = {}};
}

// By the recipe of that name, or by gemm() where there is none.
void check_gemm(Element a_element, Element b_element, Scaling scaling, Element out, Size size,
                const std::string& recipe = "") {
  const std::string what = base::say("gemm of ", name_of(a_element), " by ", name_of(b_element),
                                     recipe.empty() ? "" : " with " + recipe);
  ScaledMatrix a(a_element, scaling, size.batch, size.m, size.k);
  ScaledMatrix b(b_element, scaling, size.batch, size.n, size.k);
  Matrix d = Matrix::of_lines(out, Major::k, size.batch, size.m, size.n, padded_line(size.n, out));
  a.fill(31), b.fill(32);
  a.upload(), b.upload(), d.upload();
  GemmProblem problem = stated(size, a, b);
  problem.alpha = 0.25f;
  problem.d = {
      .data = d.data(), .element = out, .stride = d.row_stride, .batch_stride = d.batch_stride};
  if (recipe.empty())
    tile::device::gemm(problem);
  else
    tile::device::plan_gemm(problem, {recipe, {}}).run();
  require(cudaDeviceSynchronize(), what.c_str());
  d.download();
  check_scaled(
      what.c_str(), a, b, [&](int batch, int row, int column) { return d.at(batch, row, column); },
      rounding_of(out), 0.25);
  if (!d.gaps_untouched(size.batch)) fail(what.c_str(), "wrote between the rows of D");
}

// Sums that are exact, so that every code and every scale is known.
void check_scaled_output(Element element, Scaling scaling, float matrix_scale, Size size) {
  const std::string what = base::say("output in ", name_of(element), " with ", name_of(scaling));
  ScaledMatrix a(element, scaling, size.batch, size.m, size.k);
  ScaledMatrix b(element, scaling, size.batch, size.n, size.k);
  ScaledMatrix d(element, scaling, size.batch, size.m, size.n);
  a.fill(41, true), b.fill(42, true);
  std::fill(d.scales.begin(), d.scales.end(), 0xEE);
  a.upload(), b.upload(), d.upload();
  GemmProblem problem = stated(size, a, b);
  problem.d = d.view(matrix_scale);
  tile::device::gemm(problem);
  require(cudaDeviceSynchronize(), what.c_str());
  d.download();
  for (int batch = 0; batch < size.batch; ++batch) {
    const auto a_rows = a.numbers(batch), b_rows = b.numbers(batch);
    std::vector<float> sums(static_cast<std::size_t>(size.m) * size.n);
    for (int row = 0; row < size.m; ++row)
      for (int column = 0; column < size.n; ++column)
        sums[static_cast<std::size_t>(row) * size.n + column] =
            static_cast<float>(dot_product(a_rows[static_cast<std::size_t>(row)],
                                           b_rows[static_cast<std::size_t>(column)])
                                   .value);
    ScaledMatrix one(element, scaling, 1, size.m, size.n);
    tile::device::QuantizeProblem quantize{.rows = size.m,
                                           .k = size.n,
                                           .from = sums.data(),
                                           .from_element = f32,
                                           .from_stride = size.n,
                                           .to = one.view(matrix_scale)};
    quantize.to.data = one.codes.data(), quantize.to.scales = one.scales.data();
    tile::device::quantize_on_host(quantize);
    for (int row = 0; row < size.m; ++row)
      for (int column = 0; column < size.n; ++column)
        if (d.code(batch, row, column) != one.code(0, row, column))
          fail(what.c_str(),
               base::say("code (", row, ", ", column, ") of batch ", batch, " is ",
                         d.code(batch, row, column), ", not ", one.code(0, row, column)));
    const auto bytes = static_cast<std::size_t>(one.extent().bytes());
    for (std::size_t i = 0; i < bytes; ++i)
      if (d.scales[static_cast<std::size_t>(batch) * bytes + i] != one.scales[i])
        fail(what.c_str(), base::say("scale ", i, " of batch ", batch, " is ",
                                     int{d.scales[static_cast<std::size_t>(batch) * bytes + i]},
                                     ", not ", int{one.scales[i]}));
  }
  if (!d.gaps_untouched()) fail(what.c_str(), "wrote between the rows of D");
}

void check_recipes() {
  int outputs = 0;
  for (const auto& recipe : tile::device::gemm_recipes()) {
    const auto& c = recipe;
    if (c.scaling == Scaling::none) continue;
    if (c.out_scaling == Scaling::none)
      check_gemm(c.a, c.b, c.scaling, c.out, {264, 136, 384, 1}, recipe.name);
    else
      ++outputs;  // each the only one of its kind: gemm() takes it below
  }
  if (outputs != 2) fail("recipes", base::say(outputs, " with scaled outputs, 2 are tried"));
}

void check_refused(const char* what, GemmProblem problem, const char* words) {
  try {
    tile::device::gemm(problem);
  } catch (const std::exception& error) {
    if (std::string(error.what()).find(words) != std::string::npos) return;
    fail(what, base::say("'", error.what(), "' does not say '", words, "'"));
  }
  fail(what, "was not refused");
}

void check_refusals() {
  const Size size{64, 64, 128, 1};
  ScaledMatrix a(e2m1, Scaling::nv, 1, 64, 128), b(e2m1, Scaling::nv, 1, 64, 128);
  ScaledMatrix narrow(e4m3, Scaling::mx, 1, 64, 128);
  Matrix d = Matrix::of_lines(bf16, Major::k, 1, 64, 64, 64);
  a.fill(1), b.fill(2), narrow.fill(3);
  a.upload(), b.upload(), narrow.upload(), d.upload();
  GemmProblem good = stated(size, a, b);
  good.d = {.data = d.data(), .element = bf16, .stride = 64};
  const std::string recipe = "tcgen05_128x64";
  const auto by_name = [&](const char* what, const GemmProblem& problem, const char* words) {
    try {
      tile::device::plan_gemm(problem, {recipe, {}});
    } catch (const std::exception& error) {
      if (std::string(error.what()).find(words) != std::string::npos) return;
      fail(what, base::say("'", error.what(), "' does not say '", words, "'"));
    }
    fail(what, "was not refused");
  };
  GemmProblem p = good;
  p.a.scales = nullptr;
  by_name("no scales", p, "A has no memory for its nv scales");
  p = good;
  p.b.scales = static_cast<const char*>(p.b.scales) + 4;
  by_name("scales at an odd place", p, "the scales of B start at an address");
  p = good;
  p.a.stride = 136;
  by_name("lines of 68 bytes", p,
          "A has lines 68 bytes apart, not a multiple of 16: pad them to 160");
  p = good;
  p.k = 127;
  by_name("half a byte", p, "k must be even: got 127");
  p = good;
  p.a.scaling = Scaling::none, p.b.scaling = Scaling::none;
  check_refused("e2m1 without scales", p, "no kernel of the library computes e2m1 x e2m1 -> bf16");
  p = good;
  p.b = narrow.view();
  check_refused("two kinds of scales", p,
                "computes e2m1 with nv scales (ue4m3, 16 elements) x e4m3 with mx scales");
  p = good;  // would be one product of 128 rows, if its scales were those of 128 rows
  p.batch = 2, p.a.batch_stride = 64 * p.a.stride, p.b.batch_stride = 0;
  p.d.batch_stride = 64 * p.d.stride;
  check_refused("a shared B", p, "no kernel of the library computes e2m1 with nv scales");
  p = good;
  p.a = narrow.view(), p.b = narrow.view();
  p.b.scaling = Scaling::none;
  check_refused("scales on one side", p, "mx scales (ue8m0, 32 elements) x e4m3 -> bf16");
}

}  // namespace

int main() {
  for (const Element from : {f32, bf16, f16}) check_quantized(from, e2m1, Scaling::nv, 0x1.8p-12f);
  for (const Element to : {e2m1, e2m3, e3m2, e4m3, e5m2}) check_quantized(bf16, to, Scaling::mx, 1);
  check_gemm(e2m1, e2m1, Scaling::nv, bf16, {136, 72, 416, 2});
  check_gemm(e2m1, e2m1, Scaling::nv, bf16, {520, 264, 160, 1});
  check_gemm(e2m1, e2m1, Scaling::nv, f32, {136, 72, 416, 1});
  check_recipes();
  check_scaled_output(e2m1, Scaling::nv, 0.37f, {150, 200, 128, 2});
  check_scaled_output(e4m3, Scaling::mx, 1, {150, 200, 64, 1});
  check_refusals();
  std::puts("ok");
}
