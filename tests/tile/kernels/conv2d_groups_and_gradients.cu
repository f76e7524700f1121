// Groups of channels, both gradients and random shapes of all that the library's convolution takes,
// against float64; and what it says no to there. Prints "ok" and returns 0 when all is right.
#include <string>

#include "tests/tile/kernels/conv2d_on_host.hpp"
#include "tile/device/conv2d/conv2d.hpp"
#include "tile/device/gemm/choose.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using conv2d_test::Convolution;
using tile::Element;
using enum Conv2dDirection;

std::string chosen(const Conv2dProblem& problem) {
  return choose_conv2d(problem, current_machine()).recipe;
}

void run(const Conv2dProblem& shape, std::int64_t poisoned = -1) {
  Convolution one(shape, false);
  if (poisoned >= 0) one.poison_group(poisoned);
  conv2d(one.problem());
  conv2d(one.problem());  // by the plan that was kept
  one.check(chosen(shape));
}

// More than one tile in each direction, sums of more than one k-block with a ragged end, and the
// sum of a gradient of the filter in slices.
void run_recipes() {
  for (const Conv2dDirection direction : {backward_data, backward_weights})
    for (const KernelDescription& recipe : conv2d_recipes(direction)) {
      if (!runs_on(recipe, current_machine())) continue;
      const bool data = direction == backward_data;
      const bool whole = recipe.schedule == ScheduleKind::whole_tiles;
      for (const Element out : {recipe.a, Element::f32}) {
        if (data && out == Element::f32) continue;
        Convolution one({.n = recipe.a == Element::bf16 ? 2 : 1,
                         .h = 13,
                         .w = 11,
                         .c = data ? recipe.tile_n + 8 : 72,
                         .k = data ? 72 : recipe.tile_m + 8,
                         .r = data ? 3 : 2,
                         .s = 2,
                         .stride = {2, 1},
                         .padding = {1, 1},
                         .direction = direction,
                         .element = recipe.a,
                         .out = out,
                         .alpha = 1.5f},
                        false);
        const Plan plan = plan_conv2d(one.problem(), {recipe.name, {.splits = whole ? 1 : 3}});
        plan.run();
        plan.run();
        one.check(recipe.name);
      }
    }
}

// Groups that fill no k-block: what the neighbours before and behind hold must not be noticed, NaN
// and infinity times zero least of all.
void run_groups() {
  for (const Conv2dDirection direction : {forward, backward_data, backward_weights})
    for (const std::int64_t poisoned : {-1, 0, 1, 2}) {
      Conv2dProblem problem{.n = 2,
                            .h = 7,
                            .w = 9,
                            .c = 3 * 24,
                            .k = 3 * 40,
                            .r = 3,
                            .s = 3,
                            .stride = {1, 2},
                            .padding = {1, 1},
                            .groups = 3,
                            .direction = direction,
                            .element = Element::f16,
                            .out = Element::f16};
      run(problem, poisoned);
    }
  run({.n = 1,
       .h = 6,
       .w = 7,
       .c = 2 * 144,
       .k = 2 * 8,
       .r = 2,
       .s = 2,
       .groups = 2,
       .element = Element::e4m3,
       .out = Element::bf16,
       .alpha = 0.125f},
      1);
  run({.n = 1,
       .h = 6,
       .w = 7,
       .c = 4 * 16,
       .k = 4 * 4,
       .r = 3,
       .s = 1,
       .groups = 4,
       .element = Element::s8,
       .out = Element::s32});
}

// Gradients whose pixels fall into classes: more of them than taps, none for some, dilation that
// shares a factor with the stride, rows at the end that no tap has met.
void run_classes() {
  const auto both = [](Conv2dProblem problem) {
    for (const Conv2dDirection direction : {backward_data, backward_weights}) {
      problem.direction = direction;
      run(problem);
    }
  };
  both({.n = 3, .h = 9, .w = 7, .c = 16, .k = 24, .r = 1, .s = 1, .stride = {2, 2}});
  both({.n = 1, .h = 11, .w = 10, .c = 8, .k = 8, .r = 2, .s = 2, .stride = {5, 3}});
  both({.n = 2,
        .h = 12,
        .w = 13,
        .c = 8,
        .k = 16,
        .r = 3,
        .s = 3,
        .stride = {2, 3},
        .padding = {2, 3},
        .dilation = {2, 3}});
  both({.n = 1,
        .h = 15,
        .w = 14,
        .c = 16,
        .k = 8,
        .r = 3,
        .s = 5,
        .stride = {4, 6},
        .padding = {1, 4},
        .dilation = {2, 4}});
  both({.n = 1,
        .h = 1,
        .w = 3,
        .c = 8,
        .k = 8,
        .r = 1,
        .s = 1,
        .stride = {2, 8},
        .padding = {3, 9}});
  both({.n = 2, .h = 8, .w = 8, .c = 136, .k = 72, .r = 3, .s = 3, .padding = {3, 0}});
}

// Pixels that no tap has met, beside NaN in all that is read.
void run_unmet() {
  Convolution one({.n = 2,
                   .h = 7,
                   .w = 6,
                   .c = 8,
                   .k = 8,
                   .r = 1,
                   .s = 2,
                   .stride = {2, 3},
                   .direction = backward_data},
                  false);
  one.poison_group(0);
  conv2d(one.problem());
  one.check_unmet(chosen(one.problem()));
}

// Whatever the generator makes of a fixed seed.
void run_random() {
  std::uint64_t state = 0x5eed;
  const auto from = [&](std::int64_t least, std::int64_t most) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return least +
           static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(most - least + 1));
  };
  for (int left = 24; left > 0;) {
    Conv2dProblem p{.n = from(1, 3), .h = from(1, 13), .w = from(1, 13)};
    p.r = from(1, 4), p.s = from(1, 4);
    const auto side = [&](int most) { return static_cast<int>(from(0, most)); };
    p.stride = {1 + side(3), 1 + side(3)};
    p.padding = {side(3), side(3)};
    p.dilation = {1 + side(2), 1 + side(2)};
    p.direction = static_cast<Conv2dDirection>(left % 3);
    const int type = static_cast<int>(from(0, p.direction == forward ? 3 : 1));
    p.element = std::to_array({Element::bf16, Element::f16, Element::e4m3, Element::s8})[type];
    p.out = std::to_array({Element::bf16, Element::f16, Element::bf16, Element::s32})[type];
    if (p.direction == backward_weights && from(0, 1) == 0) p.out = Element::f32;
    const int unit = 16 / bytes_of(p.element);
    p.groups = from(1, 3);
    p.c = p.groups * unit * from(1, 6), p.k = p.groups * unit * from(1, 6);
    if (p.p() < 1 || p.q() < 1) continue;
    --left;
    run(p);
  }
}

void run_refusals() {
  const auto refused =
      [good = conv2d_test::anywhere({.n = 1, .h = 8, .w = 8, .c = 32, .k = 32, .r = 3, .s = 3})](
          const char* words, auto change) { conv2d_test::refused(good, words, change); };
  using Problem = Conv2dProblem;
  refused("conv2d multiplies bf16, f16, e4m3 and s8: got e5m2",
          [](Problem& p) { p.element = Element::e5m2; });
  refused("conv2d of f16 writes f16: got bf16", [](Problem& p) { p.element = Element::f16; });
  refused("conv2d of s8 writes s32: got bf16", [](Problem& p) { p.element = Element::s8; });
  refused("exact s32 sums: got an alpha of 2; scale them behind it",
          [](Problem& p) { p.element = Element::s8, p.out = Element::s32, p.alpha = 2; });
  refused("conv2d backward_data multiplies bf16 and f16: got e4m3",
          [](Problem& p) { p.direction = backward_data, p.element = Element::e4m3; });
  refused("conv2d backward_weights multiplies bf16 and f16: got s8",
          [](Problem& p) { p.direction = backward_weights, p.element = Element::s8; });
  refused("backward_data of bf16 writes bf16: got f32",
          [](Problem& p) { p.direction = backward_data, p.out = Element::f32; });
  refused("backward_weights of bf16 writes bf16 or f32: got f16",
          [](Problem& p) { p.direction = backward_weights, p.out = Element::f16; });
  refused("has no bias", [](Problem& p) { p.direction = backward_data, p.bias = p.x; });
  refused("groups that divide c and k: got 3 groups of 32 and 32",
          [](Problem& p) { p.groups = 3; });
  refused("groups that divide c and k: got 0 groups of 32 and 32",
          [](Problem& p) { p.groups = 0; });
  refused(
      "c is 32 in 32 groups of 1; TMA moves 16 bytes, 8 channels of bf16: lay several groups "
      "together",
      [](Problem& p) { p.groups = 32; });
  refused("c is 8; TMA moves 16 bytes, 16 channels of e4m3: pad to 16",
          [](Problem& p) { p.c = 8, p.element = Element::e4m3; });
  refused("k is 6; TMA moves 16 bytes, 4 channels of s32: pad to 8",
          [](Problem& p) { p.k = 6, p.element = Element::s8, p.out = Element::s32; });
  refused("dy has no data", [](Problem& p) { p.direction = backward_data, p.dy = nullptr; });
  refused("dw starts at an address that is not a multiple of 16 bytes",
          [](Problem& p) { p.direction = backward_weights, p.dw = static_cast<char*>(p.dw) + 4; });
  refused("takes up to 1073741824 pixels of x: got 1073741824x8x8",
          [](Problem& p) { p.direction = backward_data, p.n = 1 << 30, p.r = p.s = 8; });
}

}  // namespace

int main() try {
  run_recipes();
  run_groups();
  run_classes();
  run_unmet();
  run_random();
  run_refusals();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
