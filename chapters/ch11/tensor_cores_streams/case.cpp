// Many products of the same small size, none of which fills the chip alone: one after another, over
// a few streams, and as the nodes of one graph.
#include <algorithm>

#include "base/refuse.hpp"
#include "lab/case/references.hpp"
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

// Matrix `index` of a tensor of equal matrices.
lab::HostTensor matrix_of(const lab::HostTensor& all, std::int64_t index) {
  const std::int64_t rows = all.what.shape.at(1), columns = all.what.shape.at(2);
  const std::int64_t bytes = rows * columns * lab::bytes_of(all.what.dtype);
  const auto begin = all.data.begin() + index * bytes;
  return {{.name = all.what.name, .dtype = all.what.dtype, .shape = {rows, columns}},
          {begin, begin + bytes}};
}

lab::Problem problem(const lab::Size& size) {
  const std::int64_t products = size.dims.at(0);
  const std::int64_t m = size.dims.at(1), n = size.dims.at(2), k = size.dims.at(3);
  constexpr std::int64_t most = 4096;
  if (products < 1 || products > most)
    base::refuse(base::Exit::usage, "tensor_cores_streams takes 1 to ", most, " products: got ",
                 products, "; use for example 64");
  lab::refuse_bad_extents("tensor_cores_streams", m, n, k, lab::Dtype::bf16);
  lab::Problem problem;
  problem.size = size;
  problem.inputs = {{.name = "a", .dtype = lab::Dtype::bf16, .shape = {products, m, k}},
                    {.name = "b", .dtype = lab::Dtype::bf16, .shape = {products, n, k}}};
  problem.outputs = {
      {.tensor = {.name = "c", .dtype = lab::Dtype::bf16, .shape = {products, m, n}},
       .tolerance = lab::accumulation(lab::Dtype::bf16, k, 1.0 / 3, lab::matrix_f32)}};
  problem.flops = 2.0 * static_cast<double>(products * m) * static_cast<double>(n * k);
  problem.bytes = lab::bytes_once(problem);
  problem.unit = lab::Unit::matrix_bf16;
  problem.reference = [=](const lab::Inputs& inputs, std::vector<std::vector<double>>& expected) {
    std::vector<double> one;
    for (std::int64_t index = 0; index < products; ++index) {
      lab::gemm_reference(matrix_of(inputs[0], index), matrix_of(inputs[1], index), true, m, n, k,
                          one);
      std::copy(one.begin(), one.end(), expected[0].begin() + index * m * n);
    }
  };
  return problem;
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch11";
  target.name = "tensor_cores_streams";
  target.idea = "small products fill the chip together: over streams, then as one graph";
  target.shows_in = lab::Count::overlap;
  target.axes = {"products", "M", "N", "K"};
  target.variants = {""};
  target.full = {{"", {64, 512, 512, 512}}};
  // More products than chains, less than a tile each; ragged tiles, fewer products than streams.
  target.quick = {{"", {17, 72, 40, 104}}, {"", {3, 264, 200, 72}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
