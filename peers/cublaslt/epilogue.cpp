// The epilogue problem with cuBLASLt: product and bias in one call, the rest in one pass.
#include "peers/cublaslt/epilogue_pass.hpp"
#include "peers/cublaslt/prepare.hpp"

namespace aisp::peers {

lab::Run prepare_product_and_pass(lab::Setup& setup) {
  const Resources resources = resources_for(setup);
  const auto& problem = setup.problem();
  MatmulShape shape = shape_of(problem, true);
  shape.out = CUDA_R_32F;
  shape.epilogue = CUBLASLT_EPILOGUE_BIAS;
  const std::int64_t count = shape.m * shape.n;
  void* v = setup.scratch(static_cast<std::size_t>(count) * sizeof(float));
  const auto product = std::make_shared<Matmul>(resources, shape);
  product->search({random_on_device(setup, problem.inputs.at(0), 0),
                   random_on_device(setup, problem.inputs.at(1), 1), v,
                   random_on_device(setup, problem.inputs.at(2), 2)});
  const bool quantise = problem.outputs.size() > 2;
  return [product, v, count, quantise,
          multiprocessors = setup.multiprocessors()](const lab::Launch& launch) {
    (*product)({launch.inputs.at(0), launch.inputs.at(1), v, launch.inputs.at(2)}, launch.stream);
    enqueue({.v = static_cast<const float*>(v),
             .scale = quantise ? launch.in<float>(3) : nullptr,
             .d = launch.outputs.at(0),
             .amax = launch.out<float>(1),
             .aux = quantise ? launch.outputs.at(2) : nullptr,
             .count = count},
            multiprocessors, launch.stream);
  };
}

}  // namespace aisp::peers
