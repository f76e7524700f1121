// The library's convolution: every recipe by its name, then the choice of conv2d() for strides,
// padding, dilation, ragged images and channels, against float64; and what it says no to. Prints
// "ok" and returns 0 when all is right.
#include "tests/tile/kernels/conv2d_on_host.hpp"
#include "tile/device/conv2d/conv2d.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using conv2d_test::Convolution;
using gemm_test::require;

void run(const Conv2dProblem& shape, bool with_bias = false) {
  Convolution one(shape, with_bias);
  conv2d(one.problem());
  conv2d(one.problem());  // by the plan that was kept
  one.check(choose_conv2d(shape, current_machine()).recipe);
}

// More than one tile in each direction, a tap's channels in two k-blocks, more than one lap of the
// ring. Shares of the sum begin in the middle of a tap.
void run_recipes() {
  for (const RecipeInfo& recipe : conv2d_recipes()) {
    const int block = recipe.config.tile_k;
    Convolution one({.n = 2,
                     .h = 13,
                     .w = 11,
                     .c = block + 16,
                     .k = recipe.config.tile_n + 8,
                     .r = 3,
                     .s = 3,
                     .padding = {1, 1},
                     .element = recipe.config.a,
                     .out = recipe.config.out,
                     .alpha = recipe.config.a == tile::Element::s8 ? 1.0f : 0.75f},
                    recipe.config.a != tile::Element::s8);
    const bool whole = recipe.schedule == ScheduleKind::whole_tiles;
    const Conv2dPlan plan = plan_conv2d(one.problem(), {recipe.name, {.splits = whole ? 1 : 5}});
    plan.run();
    plan.run();  // what the first run left in the workspace must not matter
    one.check(recipe.name);
  }
}

void run_shapes() {
  // Several images in a tile; a filter as large as the image leaves one pixel of each.
  run({.n = 5, .h = 6, .w = 7, .c = 64, .k = 64, .r = 3, .s = 3, .padding = {1, 1}});
  run({.n = 140, .h = 3, .w = 3, .c = 8, .k = 16, .r = 3, .s = 3});
  // Strides over odd extents; channels that are no whole k-block, output channels no whole tile.
  run({.n = 3,
       .h = 15,
       .w = 13,
       .c = 24,
       .k = 72,
       .r = 3,
       .s = 3,
       .stride = {2, 2},
       .padding = {1, 1}},
      true);
  run({.n = 1,
       .h = 21,
       .w = 22,
       .c = 8,
       .k = 40,
       .r = 7,
       .s = 7,
       .stride = {2, 2},
       .padding = {3, 3}});
  run({.n = 2, .h = 30, .w = 9, .c = 16, .k = 8, .r = 2, .s = 2, .stride = {8, 1}});
  // Dilation.
  run({.n = 1,
       .h = 14,
       .w = 15,
       .c = 72,
       .k = 40,
       .r = 3,
       .s = 3,
       .padding = {2, 2},
       .dilation = {2, 2}});
  run({.n = 2,
       .h = 12,
       .w = 20,
       .c = 16,
       .k = 24,
       .r = 2,
       .s = 5,
       .stride = {1, 3},
       .padding = {2, 0},
       .dilation = {3, 1}},
      true);
  // One tap: a plain product, one with gaps, and one with pixels that see nothing but padding.
  run({.n = 2, .h = 9, .w = 16, .c = 136, .k = 200, .r = 1, .s = 1});
  run({.n = 3, .h = 9, .w = 10, .c = 64, .k = 264, .r = 1, .s = 1, .stride = {2, 2}});
  run({.n = 1, .h = 4, .w = 5, .c = 8, .k = 8, .r = 1, .s = 1, .padding = {2, 3}});
  // More tiles than the device has multiprocessors.
  run({.n = 3, .h = 27, .w = 25, .c = 40, .k = 136, .r = 1, .s = 3, .padding = {0, 1}});
  // As far as TMA reaches.
  run({.n = 1,
       .h = 2,
       .w = 10,
       .c = 8,
       .k = 8,
       .r = 1,
       .s = 2,
       .padding = {0, 128},
       .dilation = {1, 255}});
}

// What an H200 gets: narrow tiles for few output channels, large ones where there are many of them,
// a split sum for few pixels.
void run_choices() {
  const auto choice = [](std::int64_t n, std::int64_t side, std::int64_t channels) {
    return choose_conv2d({.n = n,
                          .h = side,
                          .w = side,
                          .c = channels,
                          .k = channels,
                          .r = 3,
                          .s = 3,
                          .padding = {1, 1}},
                         {.multiprocessors = 132, .architecture = 90});
  };
  if (choice(32, 56, 64).recipe == "ping_pong_256x64" &&
      choice(8, 64, 512).recipe == "cooperative_128x256_pair" &&
      choice(1, 14, 256).launch.splits > 1)
    return;
  std::fprintf(stderr, "chose %s, %s, %d splits\n", choice(32, 56, 64).recipe.c_str(),
               choice(8, 64, 512).recipe.c_str(), choice(1, 14, 256).launch.splits);
  std::exit(1);
}

void run_refusals() {
  static void* const memory = [] {
    void* bytes = nullptr;
    require(cudaMalloc(&bytes, 1 << 16), "cudaMalloc");
    return bytes;
  }();
  const auto refused = [&](const std::string& part, auto change) {
    Conv2dProblem problem{.n = 1, .h = 8, .w = 8, .c = 8, .k = 8, .r = 3, .s = 3};
    problem.x = problem.filter = problem.y = memory;
    change(problem);
    std::string said = "nothing";
    try {
      conv2d(problem);
    } catch (const base::Refusal& refusal) {
      said = refusal.what();
      if (refusal.exit() == base::Exit::usage && said.find(part) != std::string::npos) return;
    }
    std::fprintf(stderr, "refused with '%s', without '%s'\n", said.c_str(), part.c_str());
    std::exit(1);
  };
  using Problem = Conv2dProblem;
  refused("got x 1x0x8x8 and filter 8x3x3x8", [](Problem& p) { p.h = 0; });
  refused("c is 12; TMA moves 16 bytes, 8 channels of bf16: pad to 16",
          [](Problem& p) { p.c = 12; });
  refused("k is 9; TMA moves 16 bytes, 8 channels of bf16: pad to 16", [](Problem& p) { p.k = 9; });
  refused("x has no data", [](Problem& p) { p.x = nullptr; });
  refused("y starts at an address that is not a multiple of 16 bytes",
          [](Problem& p) { p.y = static_cast<char*>(p.y) + 2; });
  refused("along w: the filter covers 9 pixels and x with its padding has 8: the output is empty",
          [](Problem& p) { p.s = 9; });
  refused("along h: TMA steps over 1 to 8 pixels: got a stride of 9",
          [](Problem& p) { p.stride.h = 9; });
  refused("along w: dilation must be at least 1: got 0", [](Problem& p) { p.dilation.w = 0; });
  refused("along h: padding must be at least 0: got -1", [](Problem& p) { p.padding.h = -1; });
  refused("-128 to 127: got 260, 100 and -160",
          [](Problem& p) { p.h = 400, p.dilation.h = 130, p.padding.h = 100; });
  refused("takes up to 1073741824 pixels of output: got 1073741824x6x6; cut the batch",
          [](Problem& p) { p.n = 1 << 30; });
  refused("takes sums of up to 1073741824 products: got 3x3x134217728",
          [](Problem& p) { p.c = 1 << 27; });
  refused("images of up to 274877906944 elements: got 1024x1024x1048576",
          [](Problem& p) { p.h = p.w = 1024, p.c = 1 << 20; });
  Conv2dProblem good{.n = 1, .h = 8, .w = 8, .c = 8, .k = 8, .r = 3, .s = 3};
  good.x = good.filter = good.y = memory;
  try {
    plan_conv2d(good, GemmChoice{"quick"});
  } catch (const base::Refusal& refusal) {
    if (std::string(refusal.what()).find("no recipe 'quick'") != std::string::npos) return;
  }
  std::fprintf(stderr, "a recipe that does not exist was not refused\n");
  std::exit(1);
}

}  // namespace

int main() try {
  run_recipes();
  run_shapes();
  run_choices();
  run_refusals();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
