// one_sided_exchange: ranks that need each other's results while they compute. In "halo" a grid is
// cut into slabs of rows, and each step of a stencil needs the neighbours' border rows of the step
// before. In "gemm" every rank has a slice of k, and gets the sum of all ranks' products for its
// rows of C: a product and a reduce-scatter.
#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "chapters/ch14/one_sided_exchange/shape.hpp"
#include "lab/case/references.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/tolerance.hpp"

using namespace aisp;

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 31;

void require_sizes(const lab::Size& size, bool holds, const char* what) {
  for (const std::int64_t extent : size.dims) holds &= extent >= 1 && extent < most_elements;
  if (holds && size.dims[3] <= ch14::most_ranks) return;
  base::refuse(base::Exit::usage, "one_sided_exchange takes ", what, ", and 1 to ",
               ch14::most_ranks, " ranks: got ", size.label());
}

// to = x / 2 + (above + below + left + right) / 8, zero outside of the grid.
void halo_reference(const ch14::HaloShape& shape, const lab::Inputs& inputs,
                    std::vector<std::vector<double>>& expected) {
  const auto start = inputs.at(0).as<float>();
  const std::int64_t rows = shape.rows, columns = shape.columns;
  std::vector<double> from(start.begin(), start.end()), to(from.size());
  for (int step = 0; step < shape.steps; ++step, std::swap(from, to))
    base::parallel_ranges(rows, [&](std::int64_t row, std::int64_t last) {
      for (; row < last; ++row)
        for (std::int64_t c = 0; c < columns; ++c) {
          const auto at = [&](std::int64_t r, std::int64_t x) {
            const bool inside = r >= 0 && r < rows && x >= 0 && x < columns;
            return inside ? from[static_cast<std::size_t>(r * columns + x)] : 0.0;
          };
          to[static_cast<std::size_t>(row * columns + c)] =
              0.5 * at(row, c) +
              0.125 * (at(row - 1, c) + at(row + 1, c) + at(row, c - 1) + at(row, c + 1));
        }
    });
  expected.at(0) = from;
}

lab::Problem halo_problem(const lab::Size& size) {
  require_sizes(size, size.dims[0] >= size.dims[3] && size.dims[0] <= most_elements / size.dims[1],
                "for halo rows, columns and steps, at least a row for each rank");
  const ch14::HaloShape shape(size);
  const double cells = static_cast<double>(shape.rows) * shape.columns;
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"start", lab::Dtype::f32, {shape.rows, shape.columns}}};
  // Values stay within 1, as the weights add up to 1. Two sums of two and their sum are rounded by
  // 2, 2 and 4 times 2^-25 at most, and an eighth of that counts; the last sum by 2^-25.
  problem.outputs = {{{"end", lab::Dtype::f32, {shape.rows, shape.columns}, {}},
                      {.relative = 0.0, .absolute = 0x1p-24 * shape.steps}}};
  problem.flops = 6.0 * cells * shape.steps;
  problem.bytes = 8.0 * cells;
  problem.unit = lab::Unit::fma_f32;
  problem.reference = [shape](const lab::Inputs& inputs,
                              std::vector<std::vector<double>>& expected) {
    halo_reference(shape, inputs, expected);
  };
  return problem;
}

// A rank's matrix of a tensor of all ranks'.
lab::HostTensor slice_of(const lab::HostTensor& all, std::int64_t rank) {
  lab::HostTensor one{all.what, {}};
  one.what.shape.erase(one.what.shape.begin());
  const auto bytes = one.what.bytes();
  one.data.assign(all.data.begin() + rank * bytes, all.data.begin() + (rank + 1) * bytes);
  return one;
}

void product_reference(const ch14::ProductShape& shape, const lab::Inputs& inputs,
                       std::vector<std::vector<double>>& expected) {
  auto& sum = expected.at(0);
  std::fill(sum.begin(), sum.end(), 0.0);
  std::vector<double> part;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    lab::gemm_reference(slice_of(inputs[0], rank), slice_of(inputs[1], rank), true, shape.m,
                        shape.n, shape.slice(), part);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
}

lab::Problem product_problem(const lab::Size& size) {
  const std::int64_t ranks = size.dims[3];
  require_sizes(size,
                ranks >= 1 && size.dims[2] % (8 * ranks) == 0 && size.dims[1] % 2 == 0 &&
                    size.dims[0] <= most_elements / size.dims[1],
                "for gemm M, N and K, N even and K a multiple of 8 for each rank");
  const ch14::ProductShape shape(size);
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{"A", lab::Dtype::bf16, {shape.ranks, shape.m, shape.slice()}},
                    {"B", lab::Dtype::bf16, {shape.ranks, shape.n, shape.slice()}}};
  // The sums of the ranks lengthen the accumulation by one addition for each.
  problem.outputs = {
      {{"C", lab::Dtype::f32, {shape.m, shape.n}, {}},
       lab::accumulation(lab::Dtype::f32, shape.k + shape.ranks, 1.0 / 3.0, lab::matrix_f32)}};
  const double m = shape.m, n = shape.n, k = shape.k;
  problem.flops = 2.0 * m * n * k;
  problem.bytes = 2.0 * (m + n) * k + 4.0 * m * n;
  problem.unit = lab::Unit::matrix_bf16;
  problem.reference = [shape](const lab::Inputs& inputs,
                              std::vector<std::vector<double>>& expected) {
    product_reference(shape, inputs, expected);
  };
  return problem;
}

const lab::TargetEntry entry{{
    .chapter = "ch14",
    .name = "one_sided_exchange",
    .idea = "a kernel that puts its data into another rank's memory and signals, instead of a "
            "copy, an event and another kernel",
    .same_bytes = true,
    .shows_in = lab::Count::launches,
    .aliases = {{"triton_nvshmem_example", ""},
                {"one_sided_exchange_halo", "halo"},
                {"one_sided_exchange_gemm", "gemm"}},
    .axes = {"M", "N", "K", "ranks"},
    .variants = {"halo", "gemm"},
    .full = {{"halo", {512, 4096, 256, 2}},
             {"gemm", {4096, 4096, 4096, 2}},
             {"gemm", {4096, 4096, 1024, 2}}},
    // Slabs of unequal rows, a rank with a single one, a rank alone; tiles that end at the edge, a
    // rank with none.
    .quick = {{"halo", {53, 70, 5, 4}},
              {"halo", {3, 33, 4, 2}},
              {"halo", {5, 64, 3, 1}},
              {"gemm", {772, 130, 128, 4}},
              {"gemm", {260, 260, 48, 2}}},
    .problem =
        [](const lab::Size& size) {
          return size.variant == "halo" ? halo_problem(size) : product_problem(size);
        },
}};

}  // namespace
