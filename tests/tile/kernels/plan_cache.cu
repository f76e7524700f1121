// The cache of plans: what is found again, what is evicted, what streams, threads and graphs get,
// and what a call costs that finds its plan. Prints "ok" and returns 0 when all is right.
#include <chrono>
#include <functional>
#include <limits>
#include <set>
#include <thread>

#include "tests/tile/kernels/attention_on_host.hpp"
#include "tests/tile/kernels/contraction_on_host.hpp"
#include "tests/tile/kernels/conv2d_on_host.hpp"
#include "tests/tile/kernels/counted_runtime.hpp"
#include "tile/device/contract/contract.hpp"
#include "tile/device/gemm/key.hpp"
#include "tile/device/launch/plan_cache.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using gemm_test::require;
using tile::Element;

constexpr const char* limit_text = "8";
constexpr std::size_t limit = 8;

void must(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

// A plan that launches nothing and knows what became of it.
struct Marks {
  std::atomic<int> made = 0, run = 0, alive = 0, inside = 0;
  std::atomic<bool> mixed = false;
};
class MarkedPlan {
 public:
  MarkedPlan(Marks& marks, void* memory)
      : marks_(&marks, [](Marks* one) { --one->alive; }), memory_(memory) {
    ++marks.made, ++marks.alive;
  }
  void run(cudaStream_t) const {
    ++marks_->run;
    if (memory_ == nullptr) return;
    if (marks_->inside++ > 0) marks_->mixed = true;
    std::this_thread::yield();
    --marks_->inside;
  }

 private:
  std::shared_ptr<Marks> marks_;
  void* memory_;
};

// One cache of such plans, with workspace of so many bytes.
struct Plans {
  explicit Plans(std::size_t workspace = 0, WorkspaceSharing sharing = WorkspaceSharing::by_shape)
      : bytes(workspace), cache(*new PlanCache<MarkedPlan>(sharing)) {}

  void run(const GemmProblem& problem, cudaStream_t stream = nullptr, int device = 0) {
    cache.run(ProblemKey(problem), device, stream, [&](const Allocate& allocate) {
      if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      void* memory = nullptr;
      if (bytes > 0 && allocate) memory = allocate(bytes);
      if (memory != nullptr) blocks.insert(memory);
      return MarkedPlan(marks, memory);
    });
  }
  // How many plans the call makes.
  int makes(const GemmProblem& problem, cudaStream_t stream = nullptr, int device = 0) {
    const int before = marks.made;
    run(problem, stream, device);
    return marks.made - before;
  }

  Marks marks{};
  std::size_t bytes;
  bool slow = false;  // to plan
  std::set<void*> blocks{};
  PlanCache<MarkedPlan>& cache;  // never destroyed
};

GemmProblem sample() {
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
  GemmProblem problem{.m = 1, .n = 2, .k = 3};
  problem.a = {.data = at(0x1000), .stride = 4};
  problem.b = {.data = at(0x2000), .stride = 5};
  problem.c = {.data = at(0x3000), .stride = 6};
  problem.d = {.data = at(0x4000), .stride = 7};
  return problem;
}

void every_field_counts() {
  using Change = std::function<void(GemmProblem&)>;
  std::vector<Change> changes{
      [](GemmProblem& p) { p.m = 9; },         [](GemmProblem& p) { p.n = 9; },
      [](GemmProblem& p) { p.k = 9; },         [](GemmProblem& p) { p.batch = 9; },
      [](GemmProblem& p) { p.alpha = 9; },     [](GemmProblem& p) { p.alpha = 0.0f; },
      [](GemmProblem& p) { p.alpha = -0.0f; }, [](GemmProblem& p) { p.beta = -0.0f; },
      [](GemmProblem& p) { p.beta = 9; }};
  static int elsewhere = 0;
  for (const auto matrix : {&GemmProblem::a, &GemmProblem::b, &GemmProblem::c, &GemmProblem::d}) {
    changes.push_back([=](GemmProblem& p) { (p.*matrix).data = &elsewhere; });
    changes.push_back([=](GemmProblem& p) { (p.*matrix).element = Element::f16; });
    changes.push_back([=](GemmProblem& p) { (p.*matrix).stride = 9; });
    changes.push_back([=](GemmProblem& p) { (p.*matrix).major = tile::Major::mn; });
    changes.push_back([=](GemmProblem& p) { (p.*matrix).batch_stride = 9; });
    changes.push_back([=](GemmProblem& p) { (p.*matrix).scaling = tile::Scaling::mx; });
    changes.push_back([=](GemmProblem& p) { (p.*matrix).scales = &elsewhere; });
    changes.push_back([=](GemmProblem& p) { (p.*matrix).matrix_scale = 9; });
  }
  std::set<ProblemKey::Word> hashes{ProblemKey(sample()).hash()};
  for (std::size_t at = 0; at < changes.size(); ++at) {
    Plans plans;
    GemmProblem other = sample();
    changes[at](other);
    const std::string change = base::say("change ", at);
    must(plans.makes(sample()) == 1 && plans.makes(sample()) == 0, "a problem is found again");
    must(plans.makes(other) == 1, change + " is no other problem");
    must(plans.makes(other) == 0 && plans.makes(sample()) == 0, change + ": one of both is lost");
    hashes.insert(ProblemKey(other).hash());
  }
  must(hashes.size() == changes.size() + 1, "some changes leave the hash as it is");
  Plans plans;
  GemmProblem nan = sample();
  nan.alpha = std::numeric_limits<float>::quiet_NaN();
  must(plans.makes(nan) == 1 && plans.makes(nan) == 0, "a NaN is planned anew");
}

GemmProblem numbered(int number) {
  GemmProblem problem = sample();
  problem.m = 100 + number;
  return problem;
}

void keeps_the_last_used() {
  Plans plans(256);
  const int most = static_cast<int>(limit);
  for (int number = 0; number < most; ++number)
    must(plans.makes(numbered(number)) == 1, "each problem is planned");
  must(plans.makes(numbered(0)) == 0, "0 is kept");
  must(plans.makes(numbered(most)) == 1, "one more is planned");
  must(plans.cache.size() == limit, base::say(plans.cache.size(), " plans are kept"));
  must(plans.marks.alive == most, "the evicted plan is destroyed");
  must(plans.makes(numbered(0)) == 0, "0 was used after 1");
  must(plans.makes(numbered(1)) == 1, "1 was evicted");
}

void streams_and_devices() {
  const cudaStream_t one = new_stream(), other = new_stream();
  Plans with(256), without(0);
  must(with.makes(sample(), one) == 1 && with.makes(sample(), other) == 1,
       "plans with workspace are a stream's own");
  must(with.makes(sample(), one) == 0 && with.makes(sample(), other) == 0, "both are kept");
  must(with.blocks.size() == 2, "two streams share a workspace");
  must(without.makes(sample(), one) == 1 && without.makes(sample(), other) == 0,
       "plans without workspace serve all streams");
  must(without.makes(sample(), one, 1) == 1 && with.makes(sample(), one, 1) == 1,
       "plans are a device's own");
  // A new stream with the handle of one that is gone is another one.
  require(cudaStreamDestroy(other), "cudaStreamDestroy");
  const cudaStream_t next = new_stream();
  must(with.makes(sample(), next) == 1, "a new stream has the plan of one that is gone");
  require(cudaStreamDestroy(one), "cudaStreamDestroy");
  require(cudaStreamDestroy(next), "cudaStreamDestroy");
}

void workspace_is_shared() {
  const auto moved = [](std::size_t bytes) {
    GemmProblem problem = sample();
    problem.a.data = static_cast<const char*>(problem.a.data) + bytes;
    return problem;
  };
  Plans plans(256);
  must(plans.makes(sample()) == 1 && plans.makes(moved(512)) == 1, "addresses are other problems");
  must(plans.blocks.size() == 1, "plans that differ in addresses alone share their workspace");
  must(plans.makes(moved(16)) == 1 && plans.blocks.size() == 2,
       "another alignment may be another kernel");
  GemmProblem absent = sample();
  absent.a.data = nullptr;
  must(plans.makes(absent) == 1 && plans.blocks.size() == 3, "null is no address");
  Plans own(256, WorkspaceSharing::none);
  own.run(sample()), own.run(moved(512));
  must(own.blocks.size() == 2, "tables of addresses are shared");
}

void threads() {
  constexpr int callers = 4, calls = 300;
  Plans plans(256);
  std::vector<std::thread> all;
  for (int caller = 0; caller < callers; ++caller)
    all.emplace_back([&, caller] {
      for (int call = 0; call < calls; ++call) {
        GemmProblem problem = sample();  // one shape: all enqueue with one workspace
        const int number = (call * (caller + 1)) % 12;
        problem.a.data = reinterpret_cast<void*>(0x10000 + std::uintptr_t{512} * number);
        plans.run(problem);
      }
    });
  for (std::thread& one : all) one.join();
  must(plans.marks.run == callers * calls, base::say(plans.marks.run, " runs"));
  must(!plans.marks.mixed, "two threads enqueue with one workspace at a time");
  must(plans.cache.size() == limit && plans.marks.alive == static_cast<int>(limit),
       base::say(plans.cache.size(), " plans are kept, ", plans.marks.alive, " alive"));
}

// All ask at once for a problem that is not there yet.
void planned_once() {
  constexpr int callers = 4;
  Plans plans;
  plans.slow = true;
  std::atomic<int> ready = 0;
  std::vector<std::thread> all;
  for (int caller = 0; caller < callers; ++caller)
    all.emplace_back([&] {
      for (++ready; ready < callers;) std::this_thread::yield();
      plans.run(sample());
    });
  for (std::thread& one : all) one.join();
  must(plans.marks.made == 1 && plans.marks.run == callers,
       base::say("one problem is planned ", plans.marks.made, " times"));
}

void captured() {
  const cudaStream_t stream = new_stream();
  Plans plans;
  plans.run(sample(), stream);
  cudaGraph_t graph = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of a capture");
  must(plans.makes(sample(), stream) == 1 && plans.makes(sample(), stream) == 1,
       "captured calls have plans of their own");
  require(cudaStreamEndCapture(stream, &graph), "end of a capture");
  must(plans.cache.size() == 1 && plans.marks.alive == 3, "the graph keeps them");
  require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  must(plans.makes(sample(), stream) == 0, "calls beside it are as before");
  must(plans.marks.alive == 1, "they go with the graph");
  require(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

// The second call of one problem.
void must_cost(const std::string& what, int launches, bool workspace,
               const std::function<void()>& call) {
  call();
  const auto [calls, allocations] = counted_runtime::count(call);
  std::map<std::string, int> wanted{{"cudaStreamIsCapturing", 1}, {"cudaGetDevice", 1}};
  if (launches > 0) wanted["cudaLaunchKernelExC"] = launches;
  if (workspace) wanted["cudaStreamGetId"] = 1;
  std::string got;
  for (const auto& [name, count] : calls) got += base::say(" ", count, " x ", name);
  must(calls == wanted, what + " calls of the runtime:" + got);
  must(allocations == 0, base::say(what, " allocates ", allocations, " times"));
  require(cudaDeviceSynchronize(), what.c_str());
}

const void* memory(std::size_t bytes) {
  void* made = nullptr;
  require(cudaMalloc(&made, bytes), "cudaMalloc");
  require(cudaMemset(made, 0, bytes), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaMemset");
  return made;
}

void costs() {
  const auto gemm_of = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    GemmProblem problem{.m = m, .n = n, .k = k};
    problem.a = {.data = memory(static_cast<std::size_t>(m * k * 2)), .stride = k};
    problem.b = {.data = memory(static_cast<std::size_t>(n * k * 2)), .stride = k};
    problem.d = {.data = memory(static_cast<std::size_t>(m * n * 2)), .stride = n};
    return problem;
  };
  const GemmProblem whole = gemm_of(64, 64, 64), split = gemm_of(8, 16, 4096);
  must_cost("gemm", 1, false, [&] { gemm(whole); });
  must_cost("gemm with K split", 1, true, [&] { gemm(split); });
  AttentionProblem heads{.query_rows = 1, .kv_rows = 700, .head_size = 64};
  for (HeadTensor* one : {&heads.q, &heads.k, &heads.v, &heads.o})
    *one = {.data = memory(700 * 64 * 2), .row_stride = 64};
  must_cost("attention, keys split", 2, true, [&] { attention(heads); });
  heads.query_rows = 70, heads.kv_rows = 70;
  must_cost("attention", 1, false, [&] { attention(heads); });
  Conv2dProblem images{.n = 1, .h = 4, .w = 4, .c = 8, .k = 8, .r = 1, .s = 1};
  images.x = memory(4 * 4 * 8 * 2), images.filter = memory(8 * 8 * 2);
  images.y = const_cast<void*>(memory(4 * 4 * 8 * 2));
  must_cost("conv2d", 1, false, [&] { conv2d(images); });
  const contraction_test::Contraction tensors(
      contraction("mk,nk->mn", {{'m', 8}, {'n', 8}, {'k', 8}}));
  const ContractionProblem contracted = tensors.problem();
  must_cost("contract", 1, false, [&] { contract(contracted); });
}

}  // namespace

int main() try {
  setenv("AISP_PLANS", limit_text, 1);
  must(kept_plans() == limit, "AISP_PLANS is the limit");
  every_field_counts();
  keeps_the_last_used();
  streams_and_devices();
  workspace_is_shared();
  threads();
  planned_once();
  captured();
  costs();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "plan_cache: %s\n", error.what());
  return 1;
}
