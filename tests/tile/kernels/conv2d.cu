// The library's convolution: every recipe by its name, then the choice of conv2d() for strides,
// padding, dilation, ragged images and channels, against float64; and what it says no to. Prints
// "ok" and returns 0 when all is right.
#include "tests/tile/kernels/conv2d_on_host.hpp"
#include "tile/device/conv2d/conv2d.hpp"
#include "tile/device/gemm/choose.hpp"

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
  for (const KernelDescription& recipe : conv2d_recipes()) {
    if (!runs_on(recipe, current_machine())) continue;
    const int block = recipe.tile_k;
    const bool first = recipe.a == tile::Element::bf16;  // the others have shorter sums
    Convolution one({.n = 2,
                     .h = 13,
                     .w = 11,
                     .c = block + 16,
                     .k = recipe.tile_n + 8,
                     .r = first ? 3 : 1,
                     .s = first ? 3 : 2,
                     .padding = {1, 1},
                     .element = recipe.a,
                     .out = recipe.out,
                     .alpha = recipe.a == tile::Element::s8 ? 1.0f : 0.75f},
                    recipe.a != tile::Element::s8);
    const bool whole = recipe.schedule == ScheduleKind::whole_tiles;
    const Plan plan = plan_conv2d(one.problem(), {recipe.name, {.splits = whole ? 1 : 5}});
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

// On Hopper narrow tiles for few output channels, large ones where there are many of them and a
// split sum for few pixels; of gradients of filters as many slices as fill it. On Blackwell, which
// splits no sums, pairs of blocks but for the smallest.
void run_choices() {
  using tile::Element;
  Machine machine{.multiprocessors = 132, .architecture = 90};  // an H200
  const auto expect = [&](const char* recipe, int least_splits, std::int64_t n, std::int64_t side,
                          std::int64_t channels, Element element = Element::bf16,
                          Conv2dDirection direction = Conv2dDirection::forward) {
    const Choice choice = choose_conv2d({.n = n,
                                         .h = side,
                                         .w = side,
                                         .c = channels,
                                         .k = channels,
                                         .r = 3,
                                         .s = 3,
                                         .padding = {1, 1},
                                         .direction = direction,
                                         .element = element},
                                        machine);
    if (choice.recipe == recipe && choice.launch.splits >= least_splits) return;
    std::fprintf(stderr, "chose %s in %d splits, not %s\n", choice.recipe.c_str(),
                 choice.launch.splits, recipe);
    std::exit(1);
  };
  expect("ping_pong_256x64", 1, 32, 56, 64);
  expect("cooperative_128x256_pair", 1, 8, 64, 512);
  expect("cooperative_128x256_pair", 1, 8, 64, 512, Element::e4m3);
  expect("split_k_128x128_pair", 2, 1, 14, 256);
  using enum Conv2dDirection;
  expect("data_256x64", 1, 32, 56, 64, Element::bf16, backward_data);
  expect("data_128x256_pair", 1, 8, 64, 512, Element::bf16, backward_data);
  expect("weights_split_k_64x192", 40, 32, 56, 64, Element::bf16, backward_weights);
  expect("weights_split_k_128x192", 5, 32, 14, 256, Element::bf16, backward_weights);
  machine = {.multiprocessors = 148, .architecture = 100};  // a B200
  expect("tcgen05_128x64", 1, 1, 7, 64);
  expect("tcgen05_256x128_pair", 1, 8, 64, 512);
  for (const Element element : {Element::f16, Element::e4m3, Element::s8})
    expect("tcgen05_256x128_pair", 1, 8, 64, 512, element);
  expect("data_tcgen05_128x64", 1, 1, 7, 64, Element::bf16, backward_data);
  expect("data_tcgen05_256x128_pair", 1, 8, 64, 512, Element::f16, backward_data);
  expect("weights_tcgen05_128x64", 1, 32, 56, 64, Element::bf16, backward_weights);
  expect("weights_tcgen05_256x128_pair", 1, 32, 14, 1024, Element::f16, backward_weights);
}

void run_refusals() {
  const auto refused =
      [good = conv2d_test::anywhere({.n = 1, .h = 8, .w = 8, .c = 8, .k = 8, .r = 3, .s = 3})](
          const char* words, auto change) { conv2d_test::refused(good, words, change); };
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
  try {
    plan_conv2d(conv2d_test::anywhere({.n = 1, .h = 8, .w = 8, .c = 8, .k = 8, .r = 3, .s = 3}),
                Choice{"quick"});
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
