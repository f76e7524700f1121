// The batched problems with cuBLASLt: a perceptron as strided batches or whole, groups in a loop.
#include <map>

#include "lab/judge/batch_problem.hpp"
#include "peers/cublaslt/prepare.hpp"

namespace aisp::peers {
namespace {

// y = max(0, x w1') w2' with all rows at once, or in equal parts that share the weights.
lab::Run prepare_mlp(lab::Setup& setup, bool strided) {
  const Resources resources = resources_for(setup);
  const auto& dims = setup.problem().size.dims;
  const int batch = strided ? static_cast<int>(dims.at(3)) : 1;
  const std::int64_t rows = dims.at(0) / batch, hidden = dims.at(1), width = dims.at(2);
  const auto layer = [&](std::int64_t out, std::int64_t in, cublasLtEpilogue_t epilogue) {
    return std::make_shared<Matmul>(resources, MatmulShape{.m = rows,
                                                           .n = out,
                                                           .k = in,
                                                           .in = CUDA_R_16BF,
                                                           .out = CUDA_R_16BF,
                                                           .epilogue = epilogue,
                                                           .batch = batch,
                                                           .a_stride = rows * in,
                                                           .c_stride = rows * out});
  };
  const auto first = layer(hidden, width, CUBLASLT_EPILOGUE_RELU);
  const auto second = layer(width, hidden, CUBLASLT_EPILOGUE_DEFAULT);
  const auto& problem = setup.problem();
  void* h = setup.scratch(static_cast<std::size_t>(2 * dims.at(0) * hidden));
  void* y = setup.scratch(static_cast<std::size_t>(problem.outputs.at(0).tensor.bytes()));
  first->search({random_on_device(setup, problem.inputs.at(0), 0),
                 random_on_device(setup, problem.inputs.at(1), 1), h});
  second->search({h, random_on_device(setup, problem.inputs.at(2), 2), y});
  return [first, second, h](const lab::Launch& launch) {
    (*first)({launch.inputs.at(0), launch.inputs.at(1), h}, launch.stream);
    (*second)({h, launch.inputs.at(2), launch.outputs.at(0)}, launch.stream);
  };
}

}  // namespace

lab::Run prepare_mlp_strided(lab::Setup& setup) { return prepare_mlp(setup, true); }

lab::Run prepare_mlp_one_product(lab::Setup& setup) { return prepare_mlp(setup, false); }

lab::Run prepare_group_loop(lab::Setup& setup) {
  const Resources resources = resources_for(setup);
  const auto& problem = setup.problem();
  const auto& dims = problem.size.dims;
  const std::int64_t rows = dims.at(0), n = dims.at(1), k = dims.at(2), groups = dims.at(3);
  const auto starts = lab::group_starts(rows, groups);
  lab::Tensor weights = problem.inputs.at(1);
  weights.shape = {n, k};
  const MatmulBuffers random{
      random_on_device(setup, problem.inputs.at(0), 0), random_on_device(setup, weights, 1),
      setup.scratch(static_cast<std::size_t>(problem.outputs.at(0).tensor.bytes()))};
  std::map<std::int64_t, std::shared_ptr<Matmul>> products;  // by the number of rows
  for (std::size_t group = 0; group + 1 < starts.size(); ++group) {
    const std::int64_t count = starts[group + 1] - starts[group];
    auto& product = products[count];
    if (count == 0 || product != nullptr) continue;
    product = std::make_shared<Matmul>(
        resources, MatmulShape{.m = count, .n = n, .k = k, .in = CUDA_R_16BF, .out = CUDA_R_16BF});
    product->search(random);
  }
  return [products, starts, n, k](const lab::Launch& launch) {
    for (std::size_t group = 0; group + 1 < starts.size(); ++group) {
      const std::int64_t first = starts[group], count = starts[group + 1] - first;
      if (count == 0) continue;
      // Elements of 2 bytes.
      const auto* x = launch.in<std::uint16_t>(0) + first * k;
      const auto* w = launch.in<std::uint16_t>(1) + static_cast<std::int64_t>(group) * n * k;
      auto* y = launch.out<std::uint16_t>(0) + first * n;
      (*products.at(count))({x, w, y}, launch.stream);
    }
  };
}

}  // namespace aisp::peers
