// Calls without a plan that are captured into a graph: what they use lives as long as the graph,
// whatever else is called in between, and no longer. Prints "ok" and returns 0 when every element
// of every replay is right.
#include <functional>
#include <memory>
#include <stdexcept>

#include "tests/tile/kernels/attention_on_host.hpp"
#include "tests/tile/kernels/contraction_on_host.hpp"
#include "tests/tile/kernels/conv2d_on_host.hpp"
#include "tile/device/contract/contract.hpp"
#include "tile/device/gemm/grouped.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using gemm_test::require;
using gemm_test::Size;
using tile::Element;
using Call = std::function<void(cudaStream_t)>;
using TestMatrix = gemm_test::Matrix;

constexpr const char* kept = "64";
constexpr int others = 70;  // more than are kept

void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  require(cudaDeviceSynchronize(), "what came before");
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

// One call in an executable graph; the graph that it was captured into is gone.
class Captured {
 public:
  Captured(const char* what, const Call& call) : stream_(new_stream()) {
    cudaGraph_t graph = nullptr;
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), what);
    call(stream_);
    require(cudaStreamEndCapture(stream_, &graph), what);
    require(cudaGraphInstantiate(&ready_, graph, 0), what);
    require(cudaGraphDestroy(graph), what);
  }
  Captured(const Captured&) = delete;
  ~Captured() {
    require(cudaGraphExecDestroy(ready_), "cudaGraphExecDestroy");
    require(cudaStreamDestroy(stream_), "cudaStreamDestroy");
  }
  void run() const {
    require(cudaGraphLaunch(ready_, stream_), "cudaGraphLaunch");
    require(cudaStreamSynchronize(stream_), "a graph whose call is no longer kept");
  }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t ready_ = nullptr;
};

// What a plan asks for; it is not run.
class Asked {
 public:
  Allocate allocate() {
    return [this](std::size_t bytes) -> void* {
      void* memory = nullptr;
      require(cudaMalloc(&memory, bytes), "cudaMalloc");
      memory_.push_back(memory);
      return memory;
    };
  }
  ~Asked() {
    for (void* one : memory_) cudaFree(one);
  }
  void must_be_some(const char* what) const {
    if (memory_.empty()) fail(base::say(what, ": no workspace, there is nothing to test"));
  }

 private:
  std::vector<void*> memory_;
};

// A product with a long sum and few tiles: K is split.
class Product {
 public:
  explicit Product(Size size = {8, 16, 4096}, bool signs = true)
      : size_(size),
        a_(dense(size.m, size.k)),
        b_(dense(size.n, size.k)),
        d_(dense(size.m, size.n)) {
    a_.fill(1, 1, signs), b_.fill(2, 1, signs);
    for (TestMatrix* one : {&a_, &b_, &d_}) one->upload();
  }
  GemmProblem problem() const {
    GemmProblem made{.m = size_.m, .n = size_.n, .k = size_.k};
    made.a = {.data = a_.data(), .stride = size_.k};
    made.b = {.data = b_.data(), .stride = size_.k};
    made.d = {.data = d_.data(), .stride = size_.n};
    return made;
  }
  void check(const char* what) {
    require(cudaDeviceSynchronize(), what);
    d_.download();
    gemm_test::check(what, size_, a_, b_, d_);
    require(cudaMemset(d_.data(), 0xff, static_cast<std::size_t>(size_.m) * size_.n * 2), what);
    require(cudaDeviceSynchronize(), what);
  }

 private:
  static TestMatrix dense(int rows, int columns) {
    return TestMatrix::of_lines(Element::bf16, gemm_test::Major::k, 1, rows, columns, columns);
  }
  Size size_;
  TestMatrix a_, b_, d_;
};

// On a stream of their own: their plans are, too.
void run_others(const std::function<void(int, cudaStream_t)>& call) {
  const cudaStream_t stream = new_stream();
  for (int other = 0; other < others; ++other) call(other, stream);
  require(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

void run_other_products() {
  static const Product small({16, 16, 16});
  run_others([](int other, cudaStream_t stream) {
    GemmProblem problem = small.problem();
    problem.alpha = 1 + static_cast<float>(other);
    gemm(problem, stream);
  });
}

void gemm_in_graph() {
  Product product;
  Asked asked;
  plan_gemm(product.problem(), asked.allocate());
  asked.must_be_some("gemm");
  run_other_products();
  const std::size_t before = free_bytes();
  {
    const Captured graph("gemm", [&](cudaStream_t stream) { gemm(product.problem(), stream); });
    run_other_products();
    for (int time = 0; time < 2; ++time) {
      graph.run();
      product.check("gemm in a graph, replayed");
    }
    // Work of the stream that was captured uses memory of its own.
    gemm(product.problem(), nullptr);
    product.check("gemm beside its graph");
  }
  run_other_products();  // frees what the graph held
  if (free_bytes() != before)
    fail(base::say("gemm: ", before - free_bytes(), " bytes are held after their graph is gone"));
}

// -0 is as large as 0, and another factor.
void factors_of_zero() {
  Product product({16, 16, 16}, false);
  for (const float alpha : {0.0f, -0.0f}) {
    GemmProblem problem = product.problem();
    problem.alpha = alpha;
    gemm(problem);
    std::uint16_t code = 0xffff;
    require(cudaMemcpy(&code, problem.d.data, 2, cudaMemcpyDeviceToHost), "download");
    if (code != (std::signbit(alpha) ? 0x8000 : 0))
      fail(base::say("gemm: ", alpha, " times a positive number has the bits ", code));
  }
}

// Plans with a workspace are the oldest, and are evicted while another stream is captured.
void evicted_under_capture() {
  Product product, beside;
  const cudaStream_t stream = new_stream(), captured = new_stream();
  run_other_products();
  const std::size_t before = free_bytes();
  for (const float alpha : {4.0f, 3.0f, 2.0f, 1.0f}) {
    GemmProblem problem = beside.problem();
    problem.alpha = alpha;
    gemm(problem, stream);
  }
  require(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), "begin of a capture");
  run_other_products();
  gemm(product.problem(), captured);
  cudaGraph_t graph = nullptr;
  require(cudaStreamEndCapture(captured, &graph), "a capture beside which plans are freed");
  require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  beside.check("gemm beside a capture");
  run_other_products();
  if (free_bytes() != before)
    fail(base::say("gemm: ", before - free_bytes(), " bytes were not freed beside a capture"));
}

void grouped_in_graph() {
  Product first({40, 16, 64}), second({8, 16, 64});
  const std::vector<GemmProblem> problems{first.problem(), second.problem()};
  const Captured graph("gemm_grouped",
                       [&](cudaStream_t stream) { gemm_grouped(problems, stream); });
  run_other_products();
  graph.run();
  first.check("gemm_grouped in a graph, first group");
  second.check("gemm_grouped in a graph, second group");
}

// Returned to a test that runs it twice.
struct Replayed {
  std::shared_ptr<const Captured> graph;
  void run() const { graph->run(); }
};

void attention_in_graph(const char* what, const attention_test::Setup& setup) {
  attention_test::Attention(what, setup).run([&](const AttentionProblem& problem) {
    Asked asked;
    plan_attention(problem, asked.allocate());
    asked.must_be_some(what);
    const auto call = [&](cudaStream_t stream) { attention(problem, stream); };
    const Replayed made{std::make_shared<const Captured>(what, call)};
    AttentionProblem small = problem;
    small.batch = 1, small.query_heads = small.kv_heads = 1;
    small.query_rows = 1, small.kv_rows = std::min(problem.kv_rows, 16);
    small.kv_lengths = nullptr, small.log_sum_exp = nullptr;
    const std::vector<char> output(static_cast<std::size_t>(problem.head_size) * 2);
    small.o.data = attention_test::upload(output.data(), output.size());
    run_others([&](int other, cudaStream_t stream) {
      AttentionProblem next = small;
      next.scale = 1 + static_cast<float>(other);
      attention(next, stream);
    });
    return made;
  });
}

void conv2d_in_graph(const char* what, const Conv2dProblem& shape) {
  conv2d_test::Convolution convolution(shape, false);
  Asked asked;
  plan_conv2d(convolution.problem(), asked.allocate());
  asked.must_be_some(what);
  const Captured graph(what, [&](cudaStream_t stream) { conv2d(convolution.problem(), stream); });
  const Conv2dProblem small{.n = 1, .h = 2, .w = 2, .c = 8, .k = 8, .r = 1, .s = 1};
  const conv2d_test::Convolution other_one(small, false);
  run_others([&](int other, cudaStream_t stream) {
    Conv2dProblem next = other_one.problem();
    next.alpha = 1 + static_cast<float>(other);
    conv2d(next, stream);
  });
  graph.run();
  graph.run();
  convolution.check(what);
}

void contract_in_graph() {
  contraction_test::Contraction one(contraction("mk,nk->mn", {{'m', 40}, {'n', 24}, {'k', 64}}));
  const Captured graph("contract", [&](cudaStream_t stream) { contract(one.problem(), stream); });
  contraction_test::Contraction small(contraction("mk,nk->mn", {{'m', 8}, {'n', 8}, {'k', 8}}));
  run_others([&](int other, cudaStream_t stream) {
    ContractionProblem next = small.problem();
    next.alpha = 1 + static_cast<float>(other);
    contract(next, stream);
  });
  graph.run();
  one.check("contract in a graph");
}

}  // namespace

int main() try {
  setenv("AISP_PLANS", kept, 1);
  gemm_in_graph();
  factors_of_zero();
  evicted_under_capture();
  grouped_in_graph();
  attention_in_graph("attention in a graph, keys split",
                     {.head_size = 64, .query_heads = 2, .kv_rows = 700, .keys = {700}});
  attention_in_graph("attention in a graph, tiles by counter", {.head_size = 64,
                                                                .query_heads = 12,
                                                                .kv_heads = 12,
                                                                .query_rows = 70,
                                                                .kv_rows = 70,
                                                                .keys = {70},
                                                                .right = 0});
  const Conv2dProblem shape{.n = 2, .h = 6, .w = 6, .c = 16, .k = 16, .r = 3, .s = 3};
  Conv2dProblem changed = shape;
  changed.padding = {1, 1}, changed.groups = 2;
  conv2d_in_graph("conv2d in a graph, groups", changed);
  changed.groups = 1, changed.direction = Conv2dDirection::backward_data;
  conv2d_in_graph("conv2d in a graph, gradient of x", changed);
  changed.direction = Conv2dDirection::backward_weights, changed.n = 8, changed.h = changed.w = 16;
  conv2d_in_graph("conv2d in a graph, gradient of the filter", changed);
  contract_in_graph();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "captured_calls: %s\n", error.what());
  return 1;
}
