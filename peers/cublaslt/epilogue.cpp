// The epilogue problem with cuBLASLt: product and bias in one call, the rest in one pass.
#include "peers/cublaslt/epilogue_pass.hpp"
#include "peers/cublaslt/prepare.hpp"

namespace aisp::peers {
namespace {

std::int64_t count_of(const MatmulShape& shape) { return shape.m * shape.n; }

MatmulShape with_bias(const lab::Problem& problem, cudaDataType out) {
  MatmulShape shape = shape_of(problem, true);
  shape.out = out;
  shape.epilogue = CUBLASLT_EPILOGUE_BIAS;
  return shape;
}

std::shared_ptr<Matmul> searched(lab::Setup& setup, const Resources& resources,
                                 const MatmulShape& shape, void* v, const void* bias) {
  const auto& inputs = setup.problem().inputs;
  const auto product = std::make_shared<Matmul>(resources, shape);
  product->search({random_on_device(setup, inputs.at(0), 0),
                   random_on_device(setup, inputs.at(1), 1), v, bias});
  return product;
}

EpiloguePass pass_over(const void* v, bool v_is_bf16, const lab::Launch& launch) {
  const bool quantise = launch.outputs.size() > 2;
  return {.v = v,
          .v_is_bf16 = v_is_bf16,
          .scale = quantise ? launch.in<float>(3) : nullptr,
          .d = launch.outputs.at(0),
          .amax = launch.out<float>(1),
          .aux = quantise ? launch.outputs.at(2) : nullptr,
          .count = launch.dim(0) * launch.dim(1)};
}

}  // namespace

lab::Run prepare_product_and_pass(lab::Setup& setup) {
  const Resources resources = resources_for(setup);
  const MatmulShape shape = with_bias(setup.problem(), CUDA_R_32F);
  void* v = setup.scratch(static_cast<std::size_t>(count_of(shape)) * sizeof(float));
  const auto product = searched(setup, resources, shape, v,
                                random_on_device(setup, setup.problem().inputs.at(2), 2));
  return [product, v, multiprocessors = setup.multiprocessors()](const lab::Launch& launch) {
    (*product)({launch.inputs.at(0), launch.inputs.at(1), v, launch.inputs.at(2)}, launch.stream);
    enqueue(pass_over(v, false, launch), multiprocessors, launch.stream);
  };
}

// With a bf16 result the library takes a bf16 bias. Who works so has one: it is converted before
// the run and not in its time. The output aux is v in bf16, which the library then writes itself.
lab::Run prepare_bf16_product_and_pass(lab::Setup& setup) {
  const Resources resources = resources_for(setup);
  const MatmulShape shape = with_bias(setup.problem(), CUDA_R_16BF);
  void* scratch = setup.scratch(2 * static_cast<std::size_t>(count_of(shape)));
  void* bias = setup.kept(2 * static_cast<std::size_t>(shape.n), "made before each run");
  lab::Tensor bias_in_bf16 = setup.problem().inputs.at(2);
  bias_in_bf16.dtype = lab::Dtype::bf16;
  const auto product =
      searched(setup, resources, shape, scratch, random_on_device(setup, bias_in_bf16, 2));
  setup.stages_inputs({2});
  setup.before_each_run([bias, n = shape.n](const lab::Launch& launch) {
    enqueue_to_bf16(launch.in<float>(2), bias, n, launch.stream);
  });
  return [product, scratch, bias,
          multiprocessors = setup.multiprocessors()](const lab::Launch& launch) {
    void* v = launch.outputs.size() > 2 ? launch.outputs.at(2) : scratch;
    (*product)({launch.inputs.at(0), launch.inputs.at(1), v, bias}, launch.stream);
    enqueue(pass_over(v, true, launch), multiprocessors, launch.stream);
  };
}

}  // namespace aisp::peers
