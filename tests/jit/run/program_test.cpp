// Programs compiled by NVRTC and launched (on the simulator, under CTest) against the interpreter.
#include "jit/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/jit/support/program_test.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

using lab::refusal_of;
using testing::Memory;

class Programs : public testing::ProgramTest {};

TEST_F(Programs, ComputeWhatTheirLambdaSays) {
  const Program softmax = program("softmax", samples::softmax);
  const Memory x = input(bf16, {5, 777}, {1, 3}), y = output(bf16, {5, 777}, {0, 1});
  expect_right(softmax, {&x, &y});
  const Program norm = program("layernorm", samples::layernorm);
  const Memory v = input(f16, {3, 640}), gain = input(f32, {640}), shift = input(f32, {640}),
               w = output(f32, {3, 640});
  expect_right(norm, {&v, &gain, &shift, &w});
  const Program silu = program("bias_silu", samples::bias_silu);
  const Memory a = input(bf16, {35, 40}), b = input(bf16, {33, 40}), bias = input(f32, {33}),
               d = output(f32, {35, 33});
  expect_right(silu, {&a, &b, &bias, &d});
  EXPECT_EQ(kept_files(), 3);
}

TEST_F(Programs, TakeTypedPointers) {
  const Program add = program("add", samples::vector_add);
  const Memory a = input(f32, {1500}), b = input(f32, {1500}), c = output(f32, {1500});
  add(stream, Tensor(static_cast<const float*>(a.data()), {1500}),
      Tensor(static_cast<const float*>(b.data()), {1500}),
      Tensor(static_cast<float*>(c.data()), {1500}));
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  for (std::size_t at = 0; at < 1500; ++at)
    ASSERT_EQ(c.values()[at],
              static_cast<float>(host[0].values[at]) + static_cast<float>(host[1].values[at]));
}

TEST_F(Programs, ReadArraysOfTheirLambda) {
  std::vector<int> numbers{2, 0, 4, 36, 11};
  int* there = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&there), 5 * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(there, numbers.data(), 5 * sizeof(int), cudaMemcpyHostToDevice),
            cudaSuccess);
  const Array<int> labels(there, 5, "labels");
  const Program loss = program("loss", samples::cross_entropy(labels));
  const Memory scores = input(f32, {5, 37}), out = output(f32, {5});
  expect_right(loss, {&scores, &out}, {{{5}, {2, 0, 4, 36, 11}}});
  cudaFree(there);
}

TEST_F(Programs, TakeTheCallsChoices) {
  const int here = __LINE__ + 1;
  const Program silu = program("bias_silu", samples::bias_silu);
  const Memory a = input(f16, {20, 24}), b = input(f16, {20, 24}), bias = input(f32, {20}),
               d = output(f32, {20, 20});
  expect_right(silu.with({{"tile_m", 8}, {"tile_n", 16}}), {&a, &b, &bias, &d});
  const Inspection seen = silu.with({{"tile_m", 8}, {"tile_n", 16}})
                              .inspect(a.tensor(), b.tensor(), bias.tensor(), d.tensor());
  EXPECT_EQ(seen.kernel, "bias_silu_f16_f32_tile_m8_tile_n16");
  EXPECT_EQ(silu.variants(), 1) << "inspecting compiles nothing again";
  const std::string line =
      refusal_of([&] {
        silu.with({{"tile_q", 3}}).prepare(a.tensor(), b.tensor(), bias.tensor(), d.tensor());
      }).what();
  EXPECT_EQ(line, "program_test.cpp:" + std::to_string(here) +
                      ": bias_silu: no choice is called tile_q; there is tile_m, tile_n, tile_k, "
                      "threads");
}

TEST_F(Programs, AreInspected) {
  const Program softmax = program("softmax", samples::softmax);
  const Memory x = input(bf16, {4, 1000}), y = output(bf16, {4, 1000});
  const Inspection seen = softmax.inspect(x.tensor(), y.tensor());
  EXPECT_EQ(seen.program, "softmax");
  EXPECT_EQ(seen.kernel, "softmax_w1024_bf16");
  EXPECT_EQ(seen.architecture, "compute_90a");
  EXPECT_EQ(seen.valid_for, "x bf16, rows <= 1024; y bf16");
  EXPECT_EQ(seen.schedule, "rows");
  ASSERT_EQ(seen.passes.size(), 2u);
  EXPECT_EQ(seen.passes[0].pass, "trace");
  EXPECT_EQ(seen.passes[1].pass, "simplify");
  EXPECT_THAT(seen.passes[0].ir, ::testing::StartsWith("program softmax(in x: bf16[2]"));
  EXPECT_THAT(seen.passes[1].ir, ::testing::StartsWith("program softmax(in x: bf16[2]"));
  EXPECT_EQ(seen.decisions.at(0).name, "vector");
  EXPECT_EQ(seen.decisions.at(0).value, 8);
  EXPECT_THAT(seen.kernel_text, ::testing::HasSubstr("softmax_w1024_bf16(const __grid_constant__"));
  EXPECT_THAT(seen.compiled.ptx, ::testing::HasSubstr(".entry softmax_w1024_bf16("));
  EXPECT_TRUE(seen.compiled.cubin.empty());
  // For another architecture, and tensors that are described alone.
  const Inspection described =
      softmax.inspect(samples::signature({{f32, {8, 300}}, {f32, {8, 300}}}), "sm_90a");
  EXPECT_EQ(described.kernel, "softmax_w384_f32");
  EXPECT_FALSE(described.compiled.cubin.empty());
  ASSERT_EQ(described.compiled.resources.size(), 1u);
  EXPECT_GT(described.compiled.resources[0].registers, 8);
  EXPECT_EQ(softmax.variants(), 1);
}

TEST_F(Programs, SayWhatWasDeclined) {
  const Program silu = program("bias_silu", samples::bias_silu);
  const Inspection seen = silu.inspect(
      samples::signature({{bf16, {35, 40}}, {bf16, {33, 40}}, {f32, {33}}, {f32, {35, 33}}}));
  EXPECT_EQ(seen.schedule, "plain");
  ASSERT_EQ(seen.declined.size(), 1u);
  EXPECT_THAT(seen.declined[0],
              ::testing::StartsWith("rows declined: a loop or if at programs.hpp:"));
}

TEST_F(Programs, RefuseToCompileUnderCaptureAndLeaveItWhole) {
  const Program add = program("add", samples::vector_add);
  const Memory a = input(f32, {100}), b = input(f32, {100}), c = output(f32, {100});
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  const auto refused = refusal_of([&] { add(stream, a.tensor(), b.tensor(), c.tensor()); });
  EXPECT_EQ(refused.exit(), base::Exit::usage);
  EXPECT_STREQ(refused.what(),
               "add: the stream is being captured and the kernel is not compiled yet; call "
               "prepare(), or launch it once, before the capture begins");
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  add.prepare(a.tensor(), b.tensor(), c.tensor());
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  add(stream, a.tensor(), b.tensor(), c.tensor());
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_TRUE(std::isnan(c.values()[0])) << "captured, not run";
  cudaGraphExec_t run{};
  ASSERT_EQ(cudaGraphInstantiate(&run, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(run, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_FALSE(std::isnan(c.values()[99]));
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}

TEST_F(Programs, LaunchNothingForNoElements) {
  const Program softmax = program("softmax", samples::softmax);
  softmax(stream, Tensor(static_cast<const float*>(nullptr), {0, 64}),
          Tensor(static_cast<float*>(nullptr), {0, 64}));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

}  // namespace aisp::jit
