// The library's contractions against float64: every recipe of the device's architecture,
// contractions whose tiles fold in each of the ways there are, random ones, and what is refused.
// Prints "ok" and returns 0 when all is right.
#include <random>

#include "tests/tile/kernels/contraction_on_host.hpp"
#include "tile/device/contract/contract.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using namespace contraction_test;
using tile::FoldedSubtile;

void run(const ContractionProblem& shape, int times = 1) {
  Contraction one(shape);
  for (int i = 0; i < times; ++i) contract(one.problem());  // at last by the plan that was kept
  one.check(named(shape));
}

// Several tiles in each direction, sums of more blocks than the ring has slots, for each major.
void run_recipes() {
  const char* const expressions[] = {"bmhk,bhnk->bmhn", "bkhm,bhnk->bmhn", "bmhk,bhkn->bmhn",
                                     "bkhm,bhkn->bmhn"};
  int ran = 0;
  for (const KernelDescription& recipe : contraction_recipes()) {
    if (!runs_on(recipe, current_machine())) continue;
    const int which = (recipe.a_major == tile::Major::mn) + 2 * (recipe.b_major == tile::Major::mn);
    ContractionProblem shape =
        contraction(expressions[which], {{'b', 1}, {'h', 2}, {'m', 136}, {'n', 264}, {'k', 456}});
    shape.a.element = shape.b.element = shape.d.element = recipe.a;
    shape.alpha = -0.75f;
    Contraction one(shape);
    const Plan plan = plan_contraction(one.problem(), {recipe.name});
    plan.run();
    one.check(recipe.name + " " + named(shape));
    ++ran;
  }
  if (ran >= 8) return;  // two elements, four combinations of majors
  std::fprintf(stderr, "the device has %d recipes\n", ran);
  std::exit(1);
}

ContractionProblem of(const char* expression, const Values& extents,
                      Element element = Element::bf16, Element out = Element::bf16) {
  ContractionProblem shape = contraction(expression, extents);
  shape.a.element = shape.b.element = element;
  shape.d.element = out;
  return shape;
}

void run_shapes() {
  using enum Element;
  // An attention's heads into a projection: two modes in the sum, two in the rows, odd extents.
  run(of("bhsd,hde->bse", {{'b', 3}, {'h', 3}, {'s', 75}, {'d', 64}, {'e', 136}}), 2);
  run(of("bhsd,hde->bse", {{'b', 2}, {'h', 2}, {'s', 33}, {'d', 72}, {'e', 40}}, f16, f16));
  // Its weights' gradient: the sum is over modes that no operand has together, rows contiguous.
  run(of("bhsd,bse->hde", {{'b', 3}, {'h', 2}, {'s', 37}, {'d', 64}, {'e', 72}}));
  // Outer products: tiles whose boxes hold a mode whole, 32 columns of D together.
  run(of("sic,sjd->ijcd", {{'s', 40}, {'i', 5}, {'j', 7}, {'c', 32}, {'d', 32}}));
  run(of("sic,sjd->ijcd", {{'s', 9}, {'i', 3}, {'j', 2}, {'c', 24}, {'d', 40}}));
  run(of("sic,sjd->ijcd", {{'s', 16}, {'i', 4}, {'j', 3}, {'c', 16}, {'d', 16}}, bf16, f32));
  // D contiguous along a mode of A: the operands change places.
  run(of("mk,nk->nm", {{'m', 72}, {'n', 130}, {'k', 24}}));
  run(of("bhsd,hde->ebs", {{'b', 2}, {'h', 2}, {'s', 40}, {'d', 32}, {'e', 24}}));
  // Lines of D that TMA would not end at an element; D contiguous along a batch, or along nothing.
  run(of("mk,kn->mn", {{'m', 20}, {'n', 40}, {'k', 8}}, bf16, f32));
  ContractionProblem odd = of("mk,kn->mn", {{'m', 20}, {'n', 37}, {'k', 8}});
  odd.b.strides = {40, 1};
  run(odd);
  odd.d.element = f32;
  run(odd);
  run(of("bmk,bkn->mnb", {{'b', 3}, {'m', 24}, {'n', 16}, {'k', 40}}));
  ContractionProblem apart = of("mk,nk->mn", {{'m', 9}, {'n', 11}, {'k', 16}});
  apart.d.strides = {3 * 11 * 2, 3};
  run(apart);
  // Without rows, columns or sum; a single number.
  run(of("k,nk->n", {{'n', 300}, {'k', 136}}));
  run(of("mk,k->m", {{'m', 136}, {'k', 136}}));
  run(of("m,n->mn", {{'m', 150}, {'n', 24}}));
  run(of("bk,bk->b", {{'b', 5}, {'k', 72}}));
  run(of("k,k->", {{'k', 72}}, bf16, f32));
  // Five indices of A, of B and of D; modes of one element.
  run(of("abcdk,ken->dcabne",
         {{'a', 3}, {'b', 2}, {'c', 3}, {'d', 5}, {'k', 24}, {'e', 3}, {'n', 8}}));
  run(of("xmky,kn->mnx", {{'x', 1}, {'m', 10}, {'k', 16}, {'y', 1}, {'n', 8}}));
  // More tiles than the device holds clusters.
  run(of("bmk,bkn->bmn", {{'b', 13}, {'m', 140}, {'n', 136}, {'k', 8}}));
}

// Modes in any order of strides, with gaps between them; at most two on a side.
ContractionProblem random_problem(std::mt19937& random) {
  const auto below = [&](int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
  };
  ContractionProblem shape;
  char letter = 'a';
  const int most[] = {1, 1, 1, 1};
  std::string modes[4];
  Values extents;
  for (int side = 0; side < 4; ++side)
    for (int i = below(most[side] + 1) + (side < 3); i > 0; --i) {
      const int some = below(2) == 0 ? 32 : 2 + below(39);
      extents[letter] = side == 3 ? 1 + below(3) : i == 1 ? some : 2 + below(6);
      modes[side] += letter++;
    }
  const auto fill = [&](ContractionTensor& tensor, std::string letters, bool aligned) {
    std::shuffle(letters.begin(), letters.end(), random);
    tensor.modes = letters;
    for (const char mode : letters) tensor.extents.push_back(extents[mode]);
    // The order in memory is another one; the contiguous mode is no batch.
    std::vector<std::size_t> order(letters.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    if (aligned)
      std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
        return tensor.extents[i] > 1 && modes[3].find(letters[i]) == std::string::npos;
      });
    tensor.strides.resize(letters.size());
    std::int64_t step = 1;
    for (const std::size_t i : order) {
      tensor.strides[i] = step;
      step = step * tensor.extents[i] + (below(3) == 0 ? below(9) : 0);
      if (aligned) step = (step + 7) / 8 * 8;
    }
  };
  fill(shape.a, modes[0] + modes[2] + modes[3], true);
  fill(shape.b, modes[1] + modes[2] + modes[3], true);
  fill(shape.d, modes[0] + modes[1] + modes[3], below(2) == 0);
  shape.a.element = shape.b.element = below(4) == 0 ? Element::f16 : Element::bf16;
  shape.d.element = below(3) == 0 ? Element::f32 : shape.a.element;
  shape.alpha = below(2) == 0 ? 1.0f : 0.5f;
  return shape;
}

void run_random() {
  std::mt19937 random(20);
  int ran = 0, sums_in_two_orders = 0;
  std::map<std::pair<FoldedSubtile, bool>, int> stores;
  // Until D was written in each of the ways there are.
  while (ran < 24 || (stores.size() < 5 && ran < 200)) {
    const ContractionProblem shape = random_problem(random);
    try {
      const Folding folding = fold(shape);
      const auto store = tiles_of(folding, shape.d, {}).store;
      ++stores[{store.subtile, store.by_tma}];
    } catch (const base::Refusal& refusal) {  // each operand contiguous along another of its modes
      if (std::string(refusal.what()).find("the sum runs over") == std::string::npos) throw;
      ++sums_in_two_orders;
      continue;
    }
    run(shape);
    ++ran;
  }
  if (stores.size() == 5 && sums_in_two_orders > 0) return;
  std::fprintf(stderr, "random contractions took %zu ways to D, not 5\n", stores.size());
  std::exit(1);
}

// What an H200 and a B200 get, and that a plan for the device is one of its architecture.
void run_choices() {
  const auto chosen = [](const std::string& got, const std::string& want) {
    if (got == want) return;
    std::fprintf(stderr, "chose %s, not %s\n", got.c_str(), want.c_str());
    std::exit(1);
  };
  const Machine h200{.multiprocessors = 132, .architecture = 90};
  const Machine b200{.multiprocessors = 148, .architecture = 100};
  const ContractionProblem large =
      of("bhsd,hde->bse", {{'b', 4}, {'h', 32}, {'s', 4096}, {'d', 128}, {'e', 4096}});
  const ContractionProblem small =
      of("bhsd,hde->bse", {{'b', 1}, {'h', 8}, {'s', 512}, {'d', 128}, {'e', 1024}});
  chosen(choose_contraction(large, h200).recipe, "cooperative_128x256_pair");
  chosen(choose_contraction(small, h200).recipe, "ping_pong_128x128_pair");
  chosen(choose_contraction(large, b200).recipe, "tcgen05_128x256");
  chosen(choose_contraction(small, b200).recipe, "tcgen05_128x128");
  const Contraction one(of("mk,nk->mn", {{'m', 16}, {'n', 16}, {'k', 16}}));
  const std::string planned = plan_contraction(one.problem()).choice().recipe;
  const bool blackwell = current_machine().architecture == 100;
  chosen(planned.starts_with("tcgen05") ? "tcgen05" : "wgmma", blackwell ? "tcgen05" : "wgmma");
}

void run_refusals() {
  static void* const memory = [] {
    void* bytes = nullptr;
    gemm_test::require(cudaMalloc(&bytes, 1 << 16), "cudaMalloc");
    return bytes;
  }();
  const auto refused = [&](const std::string& part, ContractionProblem problem, auto change) {
    problem.a.data = problem.b.data = problem.d.data = memory;
    change(problem);
    std::string said = "nothing";
    try {
      contract(problem);
    } catch (const base::Refusal& refusal) {
      said = refusal.what();
      if (refusal.exit() == base::Exit::usage && said.find(part) != std::string::npos) return;
    }
    std::fprintf(stderr, "refused with '%s', without '%s'\n", said.c_str(), part.c_str());
    std::exit(1);
  };
  using Problem = ContractionProblem;
  const Problem plain = of("mk,nk->mn", {{'m', 16}, {'n', 16}, {'k', 16}});
  refused("A has no data", plain, [](Problem& p) { p.a.data = nullptr; });
  refused("B starts at an address that is not a multiple of 16 bytes", plain,
          [](Problem& p) { p.b.data = static_cast<const char*>(p.b.data) + 2; });
  refused("D starts at an address that is not a multiple of 4", plain, [](Problem& p) {
    p.d.element = Element::f32;
    p.d.data = static_cast<const char*>(p.d.data) + 2;
  });
  refused("A is bf16 and B f16: both must be bf16, or both f16", plain,
          [](Problem& p) { p.b.element = Element::f16; });
  refused("D is f16: it must be bf16, as A, or f32", plain,
          [](Problem& p) { p.d.element = Element::f16; });
  Problem good = plain;
  good.a.data = good.b.data = good.d.data = memory;
  try {
    plan_contraction(good, Choice{"quick"});
  } catch (const base::Refusal& refusal) {
    if (std::string(refusal.what()).find("no recipe 'quick' for bf16") != std::string::npos) return;
  }
  std::fprintf(stderr, "a recipe that does not exist was not refused\n");
  std::exit(1);
}

}  // namespace

int main() try {
  run_recipes();
  run_shapes();
  run_random();
  run_choices();
  run_refusals();
  std::puts("ok");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
