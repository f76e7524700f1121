// What a plan promises besides its product: memory of its own where the caller gives none, flags
// that are cleared before any stream can run it, planning while a stream is captured, and alpha,
// beta and C that are computed or refused. Prints "ok" and returns 0 when every element is right.
#include <functional>
#include <stdexcept>
#include <string>

#include "tests/tile/kernels/hopper_check.cuh"

using namespace aisp;

namespace {

using namespace gemm_test;
using tile::Element;
using tile::Sm90Config;
using tile::device::GemmProblem;
using tile::device::PlannedRun;

constexpr Sm90Config config{.out = Element::f32, .tile_n = 64, .stages = 3};
struct Plain : tile::Sm90Recipe<config, tile::Accumulator, tile::Persistent> {};
struct Slices : tile::Sm90Recipe<config, tile::Accumulator, tile::SplitK> {};
struct Scaled : tile::Sm90Recipe<config, tile::Scaled<tile::Accumulator>, tile::Persistent> {};
struct WithC : tile::Sm90Recipe<config, tile::Linear<Element::f32>, tile::Persistent> {};

constexpr Size size{200, 96, 520, 1};
constexpr tile::LaunchChoice three_slices{.splits = 3};

cudaStream_t non_blocking() {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

// Flags that a plan forgets to clear say that every slice is there already.
void* poisoned_memory(std::size_t bytes) {
  void* const memory = device_memory(bytes);
  const cudaStream_t stream = non_blocking();
  require(cudaMemsetAsync(memory, 0xff, bytes, stream), "cudaMemsetAsync");
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return memory;
}

template <class Recipe>
void check_result(const char* what, Product<Recipe>& product, double alpha = 1, double beta = 0,
                  const Matrix* c = nullptr) {
  require(cudaDeviceSynchronize(), what);
  product.d.download();
  check(what, size, product.a, product.b, product.d, alpha, beta, c);
}

void owns_its_memory() {
  Product<Slices> product(size);
  PlannedRun run;
  {
    const PlannedRun planned = tile::device::plan<Slices>(product.problem(), {}, three_slices);
    run = planned;  // the copy keeps the workspace
  }
  run(nullptr);
  run(nullptr);
  check_result("workspace of the plan's own", product);
}

// The default stream has work that the plan's flags must not wait behind, nor the launch overtake.
void clears_flags_first() {
  Product<Slices> product(size);
  void* const busy = device_memory(1 << 22);
  require(cudaMemsetAsync(busy, 1, 1 << 22, nullptr), "cudaMemsetAsync");
  const PlannedRun run =
      tile::device::plan<Slices>(product.problem(), {}, three_slices, poisoned_memory);
  run(non_blocking());
  check_result("flags before a launch on a non-blocking stream", product);
  require(cudaFree(busy), "cudaFree");
}

// The capture neither ends with an error nor records the clearing: both launches of the graph find
// the flags as the one before left them.
void plans_under_capture(const tile::device::Allocate& allocate) {
  Product<Slices> product(size);
  const cudaStream_t stream = non_blocking();
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of a capture");
  const PlannedRun run = tile::device::plan<Slices>(product.problem(), {}, three_slices, allocate);
  run(stream);
  cudaGraph_t graph = nullptr;
  require(cudaStreamEndCapture(stream, &graph), "end of a capture");
  std::size_t nodes = 0;
  require(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
  if (nodes != 1) {
    std::fprintf(stderr, "the capture has %zu nodes, not the kernel alone\n", nodes);
    std::exit(1);
  }
  cudaGraphExec_t ready = nullptr;
  require(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
  for (int time = 0; time < 2; ++time) require(cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
  check_result("planned under capture", product);
}

template <class Act>
void refused(const char* what, const std::string& part, const Act& act) {
  std::string said = "nothing";
  try {
    act();
  } catch (const std::exception& refusal) {
    said = refusal.what();
  }
  if (said.find(part) != std::string::npos) return;
  std::fprintf(stderr, "%s: said '%s', not '%s'\n", what, said.c_str(), part.c_str());
  std::exit(1);
}

void refuses_what_it_would_ignore() {
  Product<Plain> product(size);
  GemmProblem problem = product.problem();
  problem.alpha = 3;
  refused("alpha without a place in the tree", "alpha is 3, and the recipe's epilogue would ignore",
          [&] { tile::device::plan<Plain>(problem); });
  problem.alpha = 1, problem.beta = 2, problem.c = problem.d;
  refused("beta without a place in the tree", "beta is 2, and the recipe's epilogue would ignore",
          [&] { tile::device::plan<Plain>(problem); });
  problem.beta = 0, problem.bias.data = problem.d.data;
  refused("a bias without a place in the tree", "the problem has a bias, and the recipe's epilogue",
          [&] { tile::device::plan<Plain>(problem); });
  problem.bias.data = nullptr, problem.activation = tile::Activation::relu;
  refused("an activation without a place in the tree", "the problem has an activation",
          [&] { tile::device::plan<Scaled>(problem); });
  problem.activation = tile::Activation::none, problem.beta = 2;
  refused("beta of a tree with alpha only", "beta is 2",
          [&] { tile::device::plan<Scaled>(problem); });
  problem.c.element = Element::bf16;
  refused("C of another element", "C is bf16, the recipe's epilogue reads f32",
          [&] { tile::device::plan<WithC>(problem); });
  problem.c.element = Element::f32, problem.alpha = 3;
  refused("alpha twice", "the problem's alpha is 3, the epilogue's 5",
          [&] { tile::device::plan<WithC>(problem, {.alpha = {.value = 5}}); });
}

// What the tree has a place for comes from the problem; the same number in both is said once.
void takes_what_the_problem_states() {
  Product<Scaled> scaled(size);
  GemmProblem problem = scaled.problem();
  problem.alpha = 3;
  tile::device::plan<Scaled>(problem)(nullptr);
  check_result("alpha of the problem", scaled, 3);

  Product<WithC> with_c(size);
  Matrix c = Matrix::of_lines(Element::f32, Major::k, 1, size.m, size.n, 100);
  c.fill(13, 1);
  c.upload();
  problem = with_c.problem();
  problem.alpha = -2, problem.beta = 0.5;
  problem.c = {.data = c.data(), .element = Element::f32, .stride = 100};
  tile::device::plan<WithC>(problem, {.alpha = {.value = -2}})(nullptr);
  check_result("alpha, beta and C of the problem", with_c, -2, 0.5, &c);

  // Bound to another C than at the planning.
  const auto bind = tile::device::shape_plan<WithC>(with_c.problem());
  problem.beta = 4;
  bind(problem)(nullptr);
  check_result("alpha, beta and C at the binding", with_c, -2, 4, &c);
}

}  // namespace

int main() try {
  owns_its_memory();
  clears_flags_first();
  plans_under_capture({});
  plans_under_capture(device_memory);
  refuses_what_it_would_ignore();
  takes_what_the_problem_states();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "plans: %s\n", error.what());
  return 1;
}
