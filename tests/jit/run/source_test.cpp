#include "jit/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "jit/cache/upkeep.hpp"
#include "tests/support/files.hpp"
#include "tile/device/launch/machine.hpp"

namespace aisp::jit {
namespace {

using lab::refusal_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A block adds up the squares of its 128 elements; the instruction wrappers are the tile library's.
constexpr const char* sums_text = R"(
#include "tile/arch/memory.cuh"
#include "tile/arch/warp.cuh"
#include "tile/layout/layout.hpp"

using namespace aisp::tile;

constexpr int threads = 128;

extern "C" __global__ void sum_of_squares(const float* x, float* sums, float scale) {
  __shared__ float of_warp[threads / 32];
  const int warp = arch::warp_uniform(static_cast<int>(threadIdx.x) / 32);
  const float value = x[blockIdx.x * threads + threadIdx.x];
  float sum = value * value;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) of_warp[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = scale * (of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3]);
}

extern "C" __global__ void fill(float* x, float value) {
  extern __shared__ float staged[];
  staged[threadIdx.x] = value;
  x[blockIdx.x * blockDim.x + threadIdx.x] = staged[threadIdx.x];
}
)";

class Sources : public ::testing::Test {
 protected:
  Sources() : store({.folder = files.path() / "kernels"}) {
    EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&x), 512 * sizeof(float)), cudaSuccess);
    EXPECT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&sums), 4 * sizeof(float)), cudaSuccess);
  }
  ~Sources() override {
    cudaFree(x);
    cudaFree(sums);
    cudaStreamDestroy(stream);
    cudaGetLastError();
  }
  Source source(const std::string& text = sums_text) {
    return Source("sums.cu", text, {.store = &store});
  }
  int kept_files() const { return static_cast<int>(kept_entries(files.path() / "kernels").size()); }

  lab::TemporaryFolder files;
  Store store;
  cudaStream_t stream{};
  float *x = nullptr, *sums = nullptr;
};

TEST_F(Sources, RunWhatTheTextSays) {
  const Source source = this->source();
  for (int i = 0; i < 512; ++i) x[i] = static_cast<float>(i % 7 - 3);
  source.kernel("sum_of_squares").launch(stream, 4, 128, static_cast<const float*>(x), sums, 0.5f);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  for (int block = 0; block < 4; ++block) {
    float expected = 0;
    for (int i = 128 * block; i < 128 * (block + 1); ++i) expected += x[i] * x[i];
    EXPECT_EQ(sums[block], 0.5f * expected) << "block " << block;
  }
  EXPECT_THAT(source.compiled().ptx, HasSubstr(".entry sum_of_squares("));
}

TEST_F(Sources, AreKeptForTheNextProgram) {
  source().prepare();
  EXPECT_EQ(kept_files(), 1);
  const Source again = source();
  again.kernel("fill").launch(stream, {.grid = 2, .block = 64, .shared_bytes = 256}, x, 3.0f);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(x[0], 3.0f);
  EXPECT_EQ(x[127], 3.0f);
  EXPECT_EQ(kept_files(), 1);
}

TEST_F(Sources, TakeSharedMemoryBeyondWhatNeedsNoAsking) {
  source().kernel("fill").launch(stream, {.grid = 1, .block = 64, .shared_bytes = 100000}, x, 4.0f);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(x[63], 4.0f);
  const auto refusal = refusal_of([&] {
    source().kernel("fill").launch(stream, {.block = 64, .shared_bytes = 1 << 20}, x, 4.0f);
  });
  EXPECT_THAT(refusal.what(),
              StartsWith("sums.cu: launch of fill with 1x1x1 blocks of 64x1x1 threads and 1048576 "
                         "bytes of shared memory: "));
}

TEST_F(Sources, RefuseArgumentsThatDoNotFit) {
  const Source source = this->source();
  const auto few = refusal_of([&] { source.kernel("fill").launch(stream, 1, 1, x); });
  EXPECT_EQ(few.exit(), base::Exit::usage);
  EXPECT_STREQ(few.what(),
               "sums.cu: fill takes 2 arguments (bytes: 8, 4), and was given 1 (bytes: 8)");
  const auto wide = refusal_of([&] { source.kernel("fill").launch(stream, 1, 1, x, 1.0); });
  EXPECT_STREQ(wide.what(),
               "sums.cu: fill takes 2 arguments (bytes: 8, 4), and was given 2 (bytes: 8, 8)");
}

TEST_F(Sources, RefuseAKernelThatIsNotThere) {
  const auto refusal = refusal_of([&] { source().kernel("fil").launch(stream, 1, 1); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_STREQ(refusal.what(),
               "sums.cu: no kernel is called fil; there is sum_of_squares, fill; extern \"C\" "
               "keeps a name as it is written");
}

TEST_F(Sources, SayWhatIsWrongWithTheText) {
  const Source source = this->source("extern \"C\" __global__ void f() { g(); }\n");
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_STREQ(refusal_of([&] { source.kernel("f").launch(stream, 1, 1); }).what(),
                 "sums.cu: does not compile: sums.cu:1: identifier \"g\" is undefined");
}

TEST_F(Sources, RefuseToCompileUnderCaptureAndLeaveTheCaptureWhole) {
  const Source source = this->source();
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  const auto refusal = refusal_of([&] { source.kernel("fill").launch(stream, 1, 1, x, 1.0f); });
  EXPECT_EQ(refusal.exit(), base::Exit::usage);
  EXPECT_STREQ(refusal.what(),
               "sums.cu: the stream is being captured and the kernel is not compiled yet; call "
               "prepare(), or launch it once, before the capture begins");
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the capture goes on";
  cudaGraphDestroy(graph);

  source.prepare();
  x[0] = 0;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  source.kernel("fill").launch(stream, {.shared_bytes = 16}, x, 5.0f);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(x[0], 0.0f) << "captured, not run";
  cudaGraphExec_t run{};
  ASSERT_EQ(cudaGraphInstantiate(&run, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(run, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(x[0], 5.0f);
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
}

TEST_F(Sources, MayBeLaunchedFromSeveralThreads) {
  const Source source = this->source();
  std::vector<std::jthread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      source.kernel("fill").launch(nullptr, {.block = 128, .shared_bytes = 512}, x + 128 * number,
                                   static_cast<float>(number));
    });
  threads.clear();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int number = 0; number < 4; ++number) EXPECT_EQ(x[128 * number + 127], number);
}

TEST(Modules, TakeThePtxWhereTheMachineCodeIsRefused) {
  const auto compiled =
      compile({"f.cu", "extern \"C\" __global__ void f() {}\n"}, {.architecture = "sm_90a"});
  Compiled damaged = compiled;
  damaged.cubin = "no machine code";
  const Module module("f.cu", damaged);
  EXPECT_FALSE(module.of_machine_code());
  module.kernel("f").launch(nullptr, {}, {});
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  damaged.ptx = ".visible .entry f() no ptx";
  const auto refusal = refusal_of([&] { Module("f.cu", damaged); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_THAT(refusal.what(),
              StartsWith("f.cu: the CUDA runtime takes neither its machine code nor its PTX: "));
  cudaGetLastError();
}

TEST(Modules, AreLaunchedThroughTheHandleOfTheirKernel) {
  const auto compiled =
      compile({"f.cu", "extern \"C\" __global__ void f(int* x) { *x = 7; }\n"}, {});
  EXPECT_FALSE(compiled.cubin.empty());
  const Module module("f.cu", compiled);
  int* x = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&x), sizeof *x), cudaSuccess);
  const Argument argument{&x, sizeof x};
  module.kernel("f").launch(nullptr, {}, {&argument, 1});
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*x, 7);
  cudaFree(x);
}

TEST(Architecture, IsTheCurrentDevices) { EXPECT_EQ(device_architecture(), "compute_90a"); }

// h200,sms=4
TEST(Architecture, TheMachineIsTheCurrentDevice) {
  for (int again = 0; again < 2; ++again) {
    const tile::device::Machine machine = tile::device::current_machine();
    EXPECT_EQ(machine.multiprocessors, 4);
    EXPECT_EQ(machine.architecture, 90);
    EXPECT_EQ(machine.shared_per_block, tile::arch::limits_of(90).shared_per_block);
  }
  EXPECT_THROW(tile::device::machine_of(1), base::Refusal);  // there is one device
  cudaGetLastError();
}

}  // namespace
}  // namespace aisp::jit
