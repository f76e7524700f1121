// Contractions folded into products: what a folding says against the definition, index by index,
// for random contractions; the boxes of tiles; and what is refused.
#include <gtest/gtest.h>

#include <random>

#include "tile/device/contract/boxes.hpp"
#include "tile/layout/algebra.hpp"

namespace aisp::tile::device {
namespace {

using Extents = std::map<char, std::int64_t>;

std::vector<std::int64_t> strides_of(const ContractionTensor& tensor) {
  return tensor.strides.empty() ? dense_strides(tensor.extents) : tensor.strides;
}

// Of a tensor at the values of all modes.
std::int64_t offset(const ContractionTensor& tensor, const Extents& at) {
  const auto strides = strides_of(tensor);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < strides.size(); ++i) sum += at.at(tensor.modes[i]) * strides[i];
  return sum;
}

Extents extents_of(const ContractionProblem& problem) {
  Extents extents;
  for (const ContractionTensor* tensor : {&problem.a, &problem.b, &problem.d})
    for (std::size_t i = 0; i < tensor->modes.size(); ++i)
      extents[tensor->modes[i]] = tensor->extents[i];
  return extents;
}

// Which elements of A, B and D meet: all of what a contraction is.
using Meeting = std::array<std::int64_t, 3>;

std::vector<Meeting> meetings(const ContractionProblem& problem) {
  std::vector<Meeting> all;
  const Extents extents = extents_of(problem);
  Extents at = extents;
  for (auto& [mode, value] : at) value = 0;
  while (true) {
    all.push_back({offset(problem.a, at), offset(problem.b, at), offset(problem.d, at)});
    auto mode = at.begin();
    while (mode != at.end() && ++mode->second == extents.at(mode->first)) (mode++)->second = 0;
    if (mode == at.end()) break;
  }
  std::sort(all.begin(), all.end());
  return all;
}

// The same by the folding: rows, columns, sum and batch as one product's four indices.
std::vector<Meeting> meetings(const Folding& folding) {
  std::vector<Meeting> all;
  const Layout a = layout_of(folding, operand_a), b = layout_of(folding, operand_b),
               d = layout_of(folding, operand_d);
  for (int m = 0; m < size(mode(a, 0)); ++m)
    for (int n = 0; n < size(mode(b, 0)); ++n)
      for (int k = 0; k < size(mode(a, 1)); ++k)
        for (int batch = 0; batch < size(mode(a, 2)); ++batch) {
          Meeting one{a(m, k, batch), b(n, k, batch), d(m, n, batch)};
          if (folding.swapped) std::swap(one[0], one[1]);
          all.push_back(one);
        }
  std::sort(all.begin(), all.end());
  return all;
}

// Modes of random sides, in any order, dense or with gaps of 8 elements.
ContractionProblem random_problem(std::mt19937& random) {
  const auto below = [&](unsigned count) { return static_cast<int>(random() % count); };
  std::string sides[4];
  Extents extents;
  char letter = 'a';
  for (std::string& side : sides)
    for (int i = below(3); i > 0; --i) {
      constexpr std::int64_t some[] = {1, 2, 3, 8, 5};
      extents[letter] = some[below(5)];
      side += letter++;
    }
  ContractionProblem problem;
  const auto fill = [&](ContractionTensor& tensor, std::string modes) {
    if (below(2) == 0) std::shuffle(modes.begin(), modes.end(), random);
    tensor.modes = modes;
    for (const char mode : modes) tensor.extents.push_back(extents[mode]);
    if (below(2) == 0) return;
    tensor.strides = dense_strides(tensor.extents);
    for (std::size_t i = below(static_cast<unsigned>(modes.size()) + 1); i-- > 0;)
      tensor.strides[i] += 8 * (1 + static_cast<std::int64_t>(modes.size() - i)) *
                           tensor.extents[i] * tensor.strides[i];
  };
  fill(problem.a, sides[0] + sides[2] + sides[3]);
  fill(problem.b, sides[1] + sides[2] + sides[3]);
  fill(problem.d, sides[0] + sides[1] + sides[3]);
  return problem;
}

std::string shown(const ContractionProblem& problem) {
  std::string text = problem.a.modes + ',' + problem.b.modes + "->" + problem.d.modes;
  for (const auto& [mode, extent] : extents_of(problem)) text += base::say(' ', mode, '=', extent);
  return text;
}

TEST(ContractionFold, MeetsTheSameElementsAsTheDefinition) {
  std::mt19937 random(7);
  int folded = 0, merged = 0, swapped = 0;
  for (int turn = 0; turn < 2500; ++turn) {
    const ContractionProblem problem = random_problem(random);
    Folding folding;
    try {
      folding = fold(problem);
    } catch (const base::Refusal&) {
      continue;
    }
    ASSERT_EQ(meetings(folding), meetings(problem)) << shown(problem);
    ++folded;
    swapped += folding.swapped;
    for (const FoldedModes* side : {&folding.rows, &folding.columns, &folding.sum, &folding.batch})
      for (const FoldedMode& mode : *side) merged += mode.name.size() > 1;
  }
  EXPECT_GT(folded, 300);
  EXPECT_GT(merged, 50);
  EXPECT_GT(swapped, 50);
}

TEST(ContractionFold, NothingIsLeftThatCouldBeMerged) {
  std::mt19937 random(8);
  for (int turn = 0; turn < 2000; ++turn) {
    const ContractionProblem problem = random_problem(random);
    Folding folding;
    try {
      folding = fold(problem);
    } catch (const base::Refusal&) {
      continue;
    }
    // What coalesces in one order of two modes, in every tensor, is one mode.
    for (const FoldedModes* side : {&folding.rows, &folding.columns, &folding.sum, &folding.batch})
      for (const FoldedMode& inner : *side)
        for (const FoldedMode& outer : *side) {
          if (&inner == &outer) continue;
          bool all = true;
          for (int t = 0; t < 3; ++t) {
            if (inner.stride[t] == 0) continue;
            const Layout pair{Shape{fitting(inner.extent), fitting(outer.extent)},
                              Stride{fitting(inner.stride[t]), fitting(outer.stride[t])}};
            all = all && rank(coalesce(pair)) == 1;
          }
          EXPECT_FALSE(all) << shown(problem) << ": " << inner.name << " and " << outer.name;
        }
  }
}

// Where element `index` of tile `tile` lies in a tensor, or -1 where it hangs over: by the modes,
std::int64_t place_by_modes(const FoldedModes& modes, const Boxes& boxes, Operand tensor,
                            std::int64_t tile, std::int64_t index) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const std::int64_t count = box_count(modes[i], boxes[i]);
    const std::int64_t at = tile % count * boxes[i] + index % boxes[i];
    if (at >= modes[i].extent) return -1;
    offset += at * modes[i].stride[tensor];
    tile /= count, index /= boxes[i];
  }
  return offset;
}
// and as TMA finds it: the box of the tensor's indices that begins where the tile says.
std::int64_t place_by_dims(const FoldedModes& modes, const Boxes& boxes, Operand tensor,
                           std::int64_t tile, std::int64_t index) {
  std::vector<std::int64_t> tiles;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    tiles.push_back(tile % box_count(modes[i], boxes[i]));
    tile /= box_count(modes[i], boxes[i]);
  }
  std::int64_t offset = 0;
  for (const FoldedDim& dim : dims_of(modes, boxes, tensor)) {
    const std::int64_t at = tiles[static_cast<std::size_t>(dim.mode)] * dim.box + index % dim.box;
    if (at >= dim.extent) return -1;
    offset += at * dim.stride;
    index /= dim.box;
  }
  return offset;
}

TEST(ContractionBoxes, HoldWhatTheModesSay) {
  std::mt19937 random(9);
  int tiled = 0;
  for (int turn = 0; turn < 1500; ++turn) {
    const ContractionProblem problem = random_problem(random);
    Folding folding;
    FoldedTiles tiles;
    try {
      folding = fold(problem);
      tiles = tiles_of(folding, problem.d, {});
    } catch (const base::Refusal&) {
      continue;
    }
    ++tiled;
    const auto check = [&](const FoldedModes& modes, const Boxes& boxes, int tile,
                           std::initializer_list<Operand> tensors) {
      std::int64_t product = 1;
      for (const int box : boxes) product *= box;
      EXPECT_EQ(product, tile) << shown(problem);
      std::int64_t elements = 1;
      for (const FoldedMode& mode : modes) elements *= mode.extent;
      for (const Operand tensor : tensors) {
        std::int64_t inside = 0;
        for (std::int64_t at = 0; at < tile_count(modes, boxes) * tile; ++at) {
          const std::int64_t place = place_by_modes(modes, boxes, tensor, at / tile, at % tile);
          ASSERT_EQ(place_by_dims(modes, boxes, tensor, at / tile, at % tile), place)
              << shown(problem);
          inside += place >= 0;
        }
        EXPECT_EQ(inside, elements) << shown(problem);
      }
    };
    check(folding.rows, tiles.rows, 128, {operand_a, operand_d});
    check(folding.columns, tiles.columns, 128, {operand_b, operand_d});
    check(folding.sum, tiles.sum, 64, {operand_a, operand_b});
  }
  EXPECT_GT(tiled, 200);
}

// What the loading thread adds from k-block to k-block ends where a division would have begun.
TEST(FoldedIndex, WalksAsItDivides) {
  const FoldedIndex index{.modes = 3, .count = {2, 1, 5, 1}};
  FoldedSteps steps;
  steps.of[0][1] = 64, steps.of[1][0] = 7, steps.of[2][3] = 1, steps.of[2][1] = 1000;
  const FoldedSteps advance = steps.advances(index);
  for (const int first : {0, 3, 7}) {
    int corner[5] = {};
    steps.move(corner, index, first);
    FoldedWalk walk(index, first);
    for (int tile = first; tile < 10; ++tile) {
      int wanted[5] = {};
      steps.move(wanted, index, tile);
      for (int d = 0; d < 5; ++d) EXPECT_EQ(corner[d], wanted[d]) << tile << " along " << d;
      const int moved = walk.next();
      for (int d = 0; d < 5; ++d) corner[d] += advance.of[moved][d];
    }
  }
  // Behind the last tile: outside of the last mode.
  int behind[5] = {};
  steps.move(behind, index, 10);
  EXPECT_EQ(behind[3], 5);
}

TEST(ContractionBoxes, RoundUpTheLeast) {
  const FoldedModes rows{{"s", 197, {}}, {"b", 32, {}}};
  const auto any = [](const Boxes&) { return true; };
  EXPECT_EQ(*best_boxes(rows, 128, any), (Boxes{8, 16}));  // 200 of 197, not 256
  EXPECT_EQ(*best_boxes({{"s", 256, {}}, {"b", 3, {}}}, 128, any), (Boxes{128, 1}));
  EXPECT_EQ(*best_boxes({{"c", 14, {}}, {"i", 14, {}}}, 4, any), (Boxes{2, 2}));
  EXPECT_FALSE(best_boxes(rows, 128, [](const Boxes&) { return false; }));
}

Folding folded(const char* expression, const Extents& extents) {
  return fold(contraction(expression, extents));
}

TEST(ContractionFold, KnowsWhatIsTogether) {
  // The heads' projection: rows (s, b), a sum over (d, h), no copy of anything.
  const Folding heads =
      folded("bhsd,hde->bse", {{'b', 2}, {'h', 4}, {'s', 100}, {'d', 128}, {'e', 256}});
  EXPECT_EQ(to_text(layout_of(heads, operand_a)), "((100,2),(128,4),1):((128,51200),(1,12800),0)");
  EXPECT_EQ(to_text(layout_of(heads, operand_b)), "(256,(128,4),1):(1,(256,32768),0)");
  EXPECT_EQ(heads.a_major, Major::k);
  EXPECT_EQ(heads.b_major, Major::mn);
  // A plain product, however many letters it has.
  const Folding plain = folded("abcd,cde->abe", {{'a', 2}, {'b', 3}, {'c', 4}, {'d', 8}, {'e', 8}});
  EXPECT_EQ(plain.rows.at(0).name, "ab");
  EXPECT_EQ(plain.sum.at(0).name, "cd");
  EXPECT_EQ(to_text(layout_of(plain, operand_a)), "(6,32,1):(32,1,0)");
}

TEST(ContractionFold, IndicesOfOneTensorAlone) {
  // In A c and i lie in one another, in D they do not: A's box is one run of 64.
  const ContractionProblem outer =
      contraction("sic,sjd->ijcd", {{'s', 512}, {'i', 256}, {'j', 256}, {'c', 32}, {'d', 32}});
  const Folding folding = fold(outer);
  const FoldedTiles tiles = tiles_of(folding, outer.d, {});
  EXPECT_EQ(tiles.rows, (Boxes{32, 4}));
  EXPECT_EQ(dims_of(folding.rows, tiles.rows, operand_a).size(), 1u);
  EXPECT_EQ(dims_of(folding.rows, tiles.rows, operand_d).size(), 2u);
  EXPECT_EQ(tiles.store, (FoldedStore{FoldedSubtile::narrow, true}));
  EXPECT_EQ(tiles.m * tiles.n, 64 * 64);
}

std::string refusal(const ContractionProblem& problem) {
  try {
    tiles_of(fold(problem), problem.d, {});
  } catch (const base::Refusal& refused) {
    EXPECT_EQ(refused.exit(), base::Exit::usage);
    return refused.what();
  }
  return "nothing";
}
std::string refusal(const char* expression, const Extents& extents) {
  return refusal(contraction(expression, extents));
}

TEST(ContractionFold, RefusesByName) {
  const Extents some{{'a', 8}, {'b', 8}, {'c', 8}, {'d', 8}, {'k', 16}, {'m', 16}, {'n', 16}};
  EXPECT_EQ(refusal("mkx,nk->mn", {{'m', 8}, {'k', 8}, {'n', 8}, {'x', 2}}),
            "contract: mode 'x' is in A alone: sum the tensor over it first, or give it to D as "
            "well");
  EXPECT_EQ(refusal("mk,nk->mnb", some),
            "contract: mode 'b' is in D alone: nothing says its values; write D without it and "
            "repeat that");
  EXPECT_EQ(refusal("mmk,nk->mn", some),
            "contract: A has mode 'm' twice: a diagonal is one mode with the sum of both strides");
  EXPECT_EQ(refusal("bkm,bkn->mn0",
                    [&] {
                      Extents more = some;
                      more['0'] = 2;
                      return more;
                    }()),
            "contract: D has a mode '0': modes are letters");
  ContractionProblem plain = contraction("mk,nk->mn", some);
  auto changed = plain;
  changed.b.extents[1] = 24;
  EXPECT_EQ(refusal(changed), "contract: mode 'k' has 16 elements in A and 24 in B");
  changed = plain;
  changed.a.strides = {20, 1};
  EXPECT_EQ(refusal(changed),
            "contract: mode 'm' of A has a stride of 20 elements, 40 bytes, and TMA steps over "
            "multiples of 16: pad it to 24");
  changed.a.strides = {32, 2};
  EXPECT_EQ(refusal(changed),
            "contract: A has no contiguous mode among 'm', 'k': TMA wants one with a stride of 1");
  changed.a.strides = {0, 1};
  EXPECT_EQ(refusal(changed),
            "contract: mode 'm' of A has a stride of 0; strides are at least 1, and a mode that "
            "repeats the tensor is left out of it");
  changed.a.strides = {16};
  EXPECT_EQ(refusal(changed),
            "contract: A has the modes 'mk' and 2 extents, 1 strides: give one for each mode");
  changed = plain;
  changed.d.strides = {8, 1};
  EXPECT_EQ(refusal(changed),
            "contract: mode 'm' of D has a stride of 8, and the modes inside it reach over 16 "
            "elements: elements of D would lie on one another");
  changed = plain;
  changed.a.extents[0] = 0;
  EXPECT_EQ(refusal(changed), "contract: mode 'm' has 0 elements in A and 16 in D");
  changed.d.extents[0] = 0;
  EXPECT_EQ(refusal(changed), "contract: mode 'm' has no elements, there is no product to fold");
  changed.a.extents[0] = -1;
  EXPECT_EQ(refusal(changed), "contract: extents are 0 to 1073741824: mode 'm' of A has -1");
  // A triangle's update of a pair representation: channels are a batch, and contiguous.
  EXPECT_EQ(refusal("ikc,jkc->ijc", {{'i', 8}, {'j', 8}, {'k', 8}, {'c', 8}}),
            "contract: mode 'c' is contiguous in A and a batch: a product wants elements of its "
            "rows or of its sum together; permute A so that another mode is the contiguous one");
  EXPECT_EQ(refusal("mab,nba->mn", some),
            "contract: the sum runs over 'b', contiguous in A, and 'a', contiguous in B: a block "
            "of the sum has one order; permute A or B");
  EXPECT_EQ(
      refusal("bkalcd,bkln->bdnca",
              [&] {
                Extents more = some;
                more['d'] = 24, more['l'] = 8;
                return more;
              }()),
      "contract: A keeps the modes 'd', 'c', 'a', 'l', 'k', 'b' apart, and TMA has 5 indices: "
      "permute it so that some of them lie in one another");
  EXPECT_EQ(refusal("abcdmk,kn->mndcba", some),
            "contract: takes up to 4 modes that stay apart among rows, columns, sum or batch: got "
            "'a', 'b', 'c', 'd', 'm'; permute so that some of them lie in one another");
  EXPECT_THROW(contraction("mk,nk", some), base::Refusal);
  EXPECT_THROW(contraction("mk,nz->mn", some), base::Refusal);
}

}  // namespace
}  // namespace aisp::tile::device
