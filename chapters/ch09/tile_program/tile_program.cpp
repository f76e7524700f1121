// The same four kernels as lambdas, traced and compiled when the program runs.
#include "chapters/ch09/tile_program/rows.hpp"
#include "chapters/common/exhibits.hpp"
#include "chapters/common/tuning.hpp"
#include "jit/program.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace jit;

jit::Program softmax() {
  return {"softmax", [](Input<2> x, Output<2> y) {
            x.named("x"), y.named("y");
            auto row = blocks(x.extent(0), 1);
            auto v = x.load({row, 0}, {1, whole}).named("v");
            auto e = exp(v - max(v, axis(1))).named("e");
            y.store({row, 0}, e / sum(e, axis(1)));
          }};
}

jit::Program add() {
  return {"add", [](Input<1> a, Input<1> b, Output<1> c) {
            a.named("a"), b.named("b"), c.named("c");
            auto first = blocks(c.extent(0), 1024);
            c.store({first}, a.load({first}, {1024}) + b.load({first}, {1024}));
          }};
}

jit::Program layernorm() {
  return {"layernorm", [](Input<2> x, Input<1> gain, Input<1> shift, Output<2> y) {
            x.named("x"), gain.named("gain"), shift.named("shift"), y.named("y");
            auto row = blocks(x.extent(0), 1);
            auto v = x.load({row, 0}, {1, whole}).named("v");
            auto count = to(Arg(x.extent(1)), f32);
            auto centred = (v - sum(v, axis(1)) / count).named("centred");
            auto variance = (sum(centred * centred, axis(1)) / count).named("variance");
            auto scaled = centred * rsqrt(variance + double{ch09::layernorm_epsilon});
            y.store({row, 0}, scaled * gain.load({0}, {whole}) + shift.load({0}, {whole}));
          }};
}

// The loss of each row: log of the sum of exponentials, less the score of its label.
jit::Program cross_entropy() {
  return {"cross_entropy", [](Input<2> scores, Input<1> labels, Output<1> loss) {
            scores.named("scores"), labels.named("labels"), loss.named("loss");
            auto row = blocks(scores.extent(0), 1);
            auto v = scores.load({row, 0}, {1, whole}).named("v");
            auto most = max(v, axis(1)).named("most");
            auto total = sum(exp(v - most), axis(1)).named("total");
            auto column = iota({1, v.extents()[1]}, axis(1));
            auto mine =
                sum(where(column == labels.load({row}, {1}), v, 0.0), axis(1)).named("mine");
            loss.store({row}, log(total) + most - mine);
          }};
}

jit::Program program_for(const lab::Problem& problem) {
  switch (ch09::program_of(problem)) {
    case ch09::RowProgram::add:
      return add();
    case ch09::RowProgram::layernorm:
      return layernorm();
    case ch09::RowProgram::cross_entropy:
      return cross_entropy();
    case ch09::RowProgram::softmax:
      break;
  }
  return softmax();
}

jit::Element element_of(lab::Dtype dtype) {
  return dtype == lab::Dtype::bf16 ? bf16 : dtype == lab::Dtype::i32 ? s32 : f32;
}

template <class Pointer>
jit::Tensor tensor_at(Pointer* data, const lab::Tensor& what) {
  const auto& shape = what.shape;
  return shape.size() == 1 ? jit::Tensor(data, element_of(what.dtype), {shape[0]})
                           : jit::Tensor(data, element_of(what.dtype), {shape[0], shape[1]});
}

std::vector<jit::Tensor> tensors_of(const lab::Launch& launch) {
  const lab::Problem& problem = launch.problem;
  std::vector<jit::Tensor> tensors;
  for (std::size_t at = 0; at < problem.inputs.size(); ++at)
    tensors.push_back(tensor_at(launch.inputs[at], problem.inputs[at]));
  for (std::size_t at = 0; at < problem.outputs.size(); ++at)
    tensors.push_back(tensor_at(launch.outputs[at], problem.outputs[at].tensor));
  return tensors;
}

// Buffers that nobody reads, far from each other and aligned as the lab's are: what is compiled
// depends on types, extents and alignments alone.
std::vector<jit::Tensor> described(const lab::Problem& problem) {
  lab::Launch launch{.problem = problem, .inputs = {}, .outputs = {}};
  std::uintptr_t at = 0;
  const auto next = [&] { return reinterpret_cast<void*>(at += std::uintptr_t{1} << 44); };
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) launch.inputs.push_back(next());
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) launch.outputs.push_back(next());
  return tensors_of(launch);
}

lab::Run prepare(lab::Setup& setup) {
  const jit::Program program = program_for(setup.problem());
  const auto like = described(setup.problem());
  program.prepare_for(like);
  setup.shows([program, like] { return chapters::exhibits_of(program.inspect_for(like)); });
  chapters::offer_tuning(setup, program, tensors_of);
  return [program](const lab::Launch& launch) {
    const auto tensors = tensors_of(launch);
    program.launch(launch.stream, tensors);
  };
}

const lab::RungEntry entry{"ch09:tile_program",
                           {.name = "tile_program",
                            .step = 1,
                            .builds_on = "by_hand",
                            .idea = "five lines of a C++ lambda, compiled at run time",
                            .look_at = "aisp inspect ch09:tile_program/tile_program",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
