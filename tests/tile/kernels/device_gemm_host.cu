// What the library says no to, with its numbers, and the file of tuned choices that it reads at the
// first call. Prints "ok" and returns 0 when all is right.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tile/device/gemm/grouped.hpp"
#include "tile/device/gemm/tuned_device.hpp"
#include "tile/device/launch/tensor_map.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using tile::Element;
using tile::Major;

// 16x16x16 in bf16.
GemmProblem good_problem() {
  static void* const memory = [] {
    void* bytes = nullptr;
    check_cuda(cudaMalloc(&bytes, 4 * 4096), "cudaMalloc");
    return bytes;
  }();
  const auto matrix = [](int at) {
    return Matrix{.data = static_cast<char*>(memory) + 4096 * at, .stride = 16};
  };
  return {
      .m = 16, .n = 16, .k = 16, .a = matrix(0), .b = matrix(1), .c = matrix(2), .d = matrix(3)};
}

void require(bool right, const std::string& what) {
  if (right) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

template <class Call>
void expect_refusal(const char* part, Call call) {
  try {
    call();
  } catch (const base::Refusal& refusal) {
    require(std::string(refusal.what()).find(part) != std::string::npos,
            base::say("refused with '", refusal.what(), "', without '", part, "'"));
    return;
  }
  require(false, base::say("not refused: ", part));
}

void run_refusals() {
  const auto changed = [&](auto change) {
    GemmProblem problem = good_problem();
    change(problem);
    return problem;
  };
  const auto refused = [&](const char* part, auto change) {
    expect_refusal(part, [&] { gemm(changed(change)); });
  };
  refused("may not be negative: got 16x16x-1", [](GemmProblem& p) { p.k = -1; });
  refused("may not be negative: got 16x16x16, batch -3", [](GemmProblem& p) { p.batch = -3; });
  refused("B has no data", [](GemmProblem& p) { p.b.data = nullptr; });
  refused("lines of A hold 16 elements and are only 8 apart",
          [](GemmProblem& p) { p.a.stride = 8; });
  refused("C is f16 and D bf16", [](GemmProblem& p) { p.beta = 1, p.c.element = Element::f16; });
  refused("the 2 matrices of D are the same one",
          [](GemmProblem& p) { p.batch = 2, p.d.batch_stride = 0; });
  refused("alpha must be 1 and beta 0: got 2 and 0", [](GemmProblem& p) {
    p.a.element = p.b.element = Element::s8, p.d.element = Element::s32, p.alpha = 2;
  });
  refused("no kernel of the library computes bf16 x f16 -> s8",
          [](GemmProblem& p) { p.b.element = Element::f16, p.d.element = Element::s8; });
  refused(
      "a bias or an activation goes with bf16 -> bf16 or f16 -> f16: got bf16 x bf16 -> f32",
      [](GemmProblem& p) { p.d.element = Element::f32, p.activation = tile::Activation::relu; });
  refused("along none of D's indices", [](GemmProblem& p) {
    p.bias = {p.c.data, tile::BiasAlong::none};
  });
  const auto named = [&](const char* part, const char* recipe, auto change) {
    expect_refusal(part, [&] { plan_gemm(changed(change), Choice{recipe}); });
  };
  named("there is no recipe 'quick'", "quick", [](GemmProblem&) {});
  named("recipe few_rows_16: beta is not 0", "few_rows_16",
        [](GemmProblem& p) { p.beta = 1, p.c.major = p.d.major = Major::mn; });
  named("recipe stream_k_128x256: the kernel adds no bias", "stream_k_128x256",
        [](GemmProblem& p) { p.bias.data = p.c.data; });
  named("not compiled for e5m2 x e5m2 -> bf16", "stream_k_128x256",
        [](GemmProblem& p) { p.a.element = p.b.element = Element::e5m2; });
  named("A has lines 34 bytes apart, not a multiple of 16: pad them to 24", "ping_pong_128x128",
        [](GemmProblem& p) { p.a.stride = 17; });
  const auto grouped = [&](const char* part, auto change) {
    const GemmProblem problem = changed(change);
    expect_refusal(part, [&] { gemm_grouped({&problem, 1}); });
  };
  grouped("may not be negative: got 16x16x-1", [](GemmProblem& p) { p.k = -1; });
  grouped("group 0: has a bias or an activation",
          [](GemmProblem& p) { p.activation = tile::Activation::relu; });
  grouped("group 0: beta is 1", [](GemmProblem& p) { p.beta = 1; });
  grouped("takes bf16, f16 and e4m3: got s8", [](GemmProblem& p) { p.a.element = Element::s8; });
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// Before any other product: the file is read once.
void run_tuned() {
  const std::filesystem::path home =
      std::filesystem::temp_directory_path() / base::say("aisp_tuned_", ::getpid());
  ::setenv("AISP_HOME", home.c_str(), 1);
  const TunedDevice device = tuned_device();
  const auto path = tuned_path(device);
  write(path, "aisp-tuned 1\ndevice of somebody else\n");
  expect_refusal("line 2: 'device ", [] { gemm(good_problem()); });

  const GemmKey key = key_of(good_problem());
  GemmKey wider = key;
  wider.n = 24;
  TunedTable table{device, {}};
  table.gemm[key] = {"split_k_128x64", {tile::Raster::Along::n, 4}, 2, 1.5};
  table.gemm[wider] = {"forgotten", {}, 1, 1.5};
  write(path, to_text(table));
  const Choice tuned = plan_gemm(good_problem()).choice();
  require(tuned.recipe == "split_k_128x64", "the tuned recipe was not taken: " + tuned.recipe);
  require(tuned.launch.splits == 2 && tuned.launch.raster.group == 4, "nor its launch");

  GemmProblem other = good_problem();
  other.n = 24, other.d.stride = 24;
  const std::string ruled = choose(other, current_machine(), gemm_recipes()).recipe;
  require(plan_gemm(other).choice().recipe == ruled,
          "a recipe that is no more was not passed over");
  std::filesystem::remove_all(home);
}

}  // namespace

int main() try {
  run_tuned();
  run_refusals();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
