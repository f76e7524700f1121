// Flex attention in one call, captured into a graph: kernels, block mask and workspace live as long
// as the graph, whatever is called in between.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/jit/attention/flex.hpp"

namespace aisp::jit::testing {
namespace {

using attention_test::Attention;
using attention_test::AttentionProblem;
using gemm_test::require;

// As many plans are kept, in all tests of the program: the limit is read once.
const int limited = setenv("AISP_PLANS", "64", 1);
constexpr int others = 70;  // more than are kept

// One call in an executable graph; the graph that it was captured into is gone.
class Captured {
 public:
  template <class Call>
  explicit Captured(const Call& call) {
    cudaGraph_t graph = nullptr;
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), "begin of a capture");
    call(stream_);
    require(cudaStreamEndCapture(stream_, &graph), "end of a capture");
    require(cudaGraphInstantiate(&ready_, graph, 0), "cudaGraphInstantiate");
    require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  }
  Captured(const Captured&) = delete;
  ~Captured() {
    cudaGraphExecDestroy(ready_);
    cudaStreamDestroy(stream_);
  }
  void run() const {
    require(cudaGraphLaunch(ready_, stream_), "cudaGraphLaunch");
    require(cudaStreamSynchronize(stream_), "a graph whose call is no longer kept");
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};
struct Replayed {
  std::shared_ptr<const Captured> graph;
  void run() const { graph->run(); }
};

constexpr int keys = 300, per_document = 90;

ScoreFunctions same_document() {
  std::vector<int> documents(keys);
  for (int key = 0; key < keys; ++key)
    documents[static_cast<std::size_t>(key)] = key / per_document;
  const Array<int> document = uploaded(documents, "document");
  return AttentionFunctions{
      .score = [](auto score, auto) { return score; },
      .mask = [document](auto at) { return document[at.query] == document[at.key]; }};
}

// A problem that takes little, with memory of the large one.
AttentionProblem small_of(AttentionProblem problem) {
  problem.batch = problem.query_heads = problem.kv_heads = problem.query_rows = 1;
  problem.kv_rows = 16;
  problem.kv_lengths = nullptr, problem.log_sum_exp = nullptr;
  const std::vector<char> output(static_cast<std::size_t>(problem.head_size) * 2);
  problem.o.data = attention_test::upload(output.data(), output.size());
  return problem;
}

// `push_out` makes calls until that of the graph is no longer kept.
template <class PushOut>
void replay(int queries, const PushOut& push_out) {
  Setup setup{.head_size = 64,
              .query_heads = 2,
              .kv_heads = 1,
              .query_rows = queries,
              .kv_rows = keys,
              .keys = {keys},
              .lengths = false};
  setup.function = [=](int, int, int i, int j, double score) {
    return (i + keys - queries) / per_document == j / per_document ? score : -INFINITY;
  };
  const ScoreFunctions functions = same_document();
  Attention("flex attention in a graph", setup).run([&](const AttentionProblem& problem) {
    const Replayed made{std::make_shared<const Captured>(
        [&](cudaStream_t stream) { attention(functions, problem, stream); })};
    push_out(functions, small_of(problem));
    require(cudaDeviceSynchronize(), "other calls");
    return made;
  });
}

void run_other_problems(const ScoreFunctions& functions, AttentionProblem problem) {
  for (int other = 0; other < others; ++other) {
    problem.scale = 1 + static_cast<float>(other);
    attention(functions, problem);
  }
}

TEST(CapturedFlexAttention, KeepsBlockMaskAndKernelOfItsPlan) { replay(140, run_other_problems); }

TEST(CapturedFlexAttention, KeepsWorkspaceOfKeysThatAreSplit) { replay(1, run_other_problems); }

// Functions that read other arrays are others: the last to go is what was compiled for the graph.
TEST(CapturedFlexAttention, KeepsWhatWasCompiled) {
  replay(1, [](const ScoreFunctions&, const AttentionProblem& problem) {
    for (int other = 0; other < others; ++other) attention(same_document(), problem);
  });
}

}  // namespace
}  // namespace aisp::jit::testing
