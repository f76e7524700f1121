// The trees of the epilogue fed from tensor memory: every node that reads or writes memory, in each
// way in which warps own parts of an accumulator, and the elements and ways of the output. Every
// value against float64. Prints "ok" and returns 0 when all is right.
#include "tests/tile/kernels/blackwell_check.cuh"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::Persistent;
using tile::Sm100Config;
using tile::Sm100Recipe;

// max(row * (A B) * column + source, 0), kept beside D unrounded, with the largest of all and of
// each row.
using Scaled = tile::Multiply<tile::Multiply<tile::Accumulator, tile::RowVector<Element::f32>>,
                              tile::ColumnVector<Element::bf16>>;
using Value = tile::Relu<tile::Add<Scaled, tile::Source<Element::bf16>>>;
using Watched = tile::RowAmax<tile::Amax<tile::AuxStore<Element::f32, Value>>>;

struct Uploaded : Matrix {
  Uploaded(Element element, int batch, int rows, int columns, std::uint64_t seed)
      : Matrix(element, batch, rows, columns, columns, 1, std::int64_t{rows} * columns) {
    fill(seed, batch);
    upload();
  }
};

void expect_largest(const char* what, double got, double want) {
  if (std::abs(got - want) <= 0x1p-16 * want) return;
  std::fprintf(stderr, "%s: the largest value is %g, not %g\n", what, got, want);
  std::exit(1);
}

template <Sm100Config config>
void run_nodes(const char* what, Size size) {
  Tcgen05Product<Sm100Recipe<config, Watched, Persistent>> product(size);
  const Uploaded row(Element::f32, size.batch, 1, size.m, 13);
  const Uploaded column(Element::bf16, size.batch, 1, size.n, 14);
  const Uploaded source(Element::bf16, size.batch, size.m, size.n, 15);
  Uploaded aux(Element::f32, size.batch, size.m, size.n, 16);
  std::vector<float> zeros(static_cast<std::size_t>(size.m * size.batch + 1));
  float* largest = nullptr;
  require(cudaMalloc(&largest, zeros.size() * 4), what);
  require(cudaMemcpy(largest, zeros.data(), zeros.size() * 4, cudaMemcpyDefault), what);

  typename Watched::Params tree{.largest = largest + 1, .batch_stride = size.m};
  tree.of.largest = largest;
  tree.of.of.data = static_cast<float*>(aux.data());
  tree.of.of.stride = size.n;
  tree.of.of.batch_stride = std::int64_t{size.m} * size.n;
  auto& added = tree.of.of.of.of;
  added.left.left.right = {static_cast<float*>(row.data()), size.m};
  added.left.right.data = static_cast<__nv_bfloat16*>(column.data());
  added.left.right.batch_stride = size.n;
  added.right.data = static_cast<__nv_bfloat16*>(source.data());
  added.right.stride = size.n;
  added.right.batch_stride = std::int64_t{size.m} * size.n;
  product.run(what, tree);

  const auto value = [&](DotProduct sum, int batch, int r, int c) {
    const double scale = row.at(batch, 0, r) * column.at(batch, 0, c);
    const double add = source.at(batch, r, c), all = scale * sum.value + add;
    const double error = std::abs(scale) * sum.error + 0x1p-22 * (std::abs(all) + std::abs(add));
    return DotProduct{std::max(all, 0.0), error};
  };
  check_each(what, product.a, product.b, product.d, size.batch, dot_product, value);
  aux.download();
  check_each(what, product.a, product.b, aux, size.batch, dot_product, value);
  std::vector<float> found(zeros.size());
  require(cudaMemcpy(found.data(), largest, zeros.size() * 4, cudaMemcpyDefault), what);
  require(cudaFree(largest), what);
  double all = 0;
  for (int batch = 0; batch < size.batch; ++batch)
    for (int r = 0; r < size.m; ++r) {
      double of_row = 0;
      for (int c = 0; c < size.n; ++c) of_row = std::max(of_row, aux.at(batch, r, c));
      expect_largest(what, found[static_cast<std::size_t>(batch * size.m + r + 1)], of_row);
      all = std::max(all, of_row);
    }
  expect_largest(what, found[0], all);
}

// alpha A B + beta C, and without C.
template <Sm100Config config>
void run_linear(const char* what, Size size) {
  using Linear = tile::Linear<config.out>;
  for (const float beta : {0.0f, -0.5f}) {
    Tcgen05Product<Sm100Recipe<config, Linear, Persistent>> product(size);
    const int line = padded_line(size.n, config.out);
    Matrix c = Matrix::of_lines(config.out, Major::k, size.batch, size.m, size.n, line);
    if (beta != 0) c.fill(17, size.batch);
    c.upload();
    typename Linear::Params tree{};
    tree.alpha.value = 0.75f;
    tree.beta.value = beta;
    tree.source = {tile::ElementPointer<config.out>::untyped(c.data()), c.row_stride,
                   c.batch_stride};
    product.run(what, tree);
    check(what, size, product.a, product.b, product.d, 0.75, beta, beta == 0 ? nullptr : &c);
  }
}

}  // namespace

int main() {
  using enum Element;
  run_nodes<Sm100Config{.tile_n = 48, .stages = 2}>("32 rows a warp", {200, 72, 72, 2});
  run_nodes<Sm100Config{.tile_m = 64, .tile_n = 24, .stages = 2}>("16 rows a warp",
                                                                  {90, 40, 72, 2});
  run_nodes<Sm100Config{.out = f32, .tile_n = 64, .stages = 2, .cta_group = 2}>(
      "half of the columns a warp", {200, 72, 72, 2});
  run_linear<Sm100Config{.out = f32, .tile_n = 80, .stages = 2}>("f32", {140, 100, 72, 1});
  run_linear<Sm100Config{.out = e4m3, .tile_n = 208, .stages = 2}>("e4m3", {140, 224, 40, 1});
  run_linear<Sm100Config{
      .a = f16, .b = f16, .out = f16, .tile_n = 64, .store = tile::Store::direct}>(
      "f16 from registers", {140, 73, 72, 2});
  std::puts("ok");
}
