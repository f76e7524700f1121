// Tensors of one call whose extents do not fit each other: refused by one line with the place, both
// tensors and the way out, and forms that are legal stay so.
#include <gtest/gtest.h>

#include "jit/ir/extents.hpp"
#include "jit/program.hpp"
#include "tests/jit/support/program_test.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

using lab::refusal_of;
using testing::Memory;

namespace {

using Extents = std::vector<std::vector<std::int64_t>>;

// What the reference says about tensors of these extents, the place left out: the check of a call,
// without a compile.
template <class Lambda>
std::string said_of(const Lambda& lambda, const Extents& extents) {
  Signature signature;
  std::vector<HostTensor> tensors;
  for (const auto& one : extents) {
    signature.tensors.push_back({f32, one});
    std::int64_t size = 1;
    for (const std::int64_t extent : one) size *= extent;
    tensors.push_back({one, std::vector<double>(static_cast<std::size_t>(size), 1.0)});
  }
  try {
    Program("fits", lambda).reference(signature, tensors);
  } catch (const base::Refusal& refused) {
    const std::string line = refused.what();
    EXPECT_EQ(line.find("extents_test.cpp:"), 0u) << line;
    const std::string what = line.substr(line.find(": ") + 2);
    return what.substr(0, what.find("; "));
  }
  return "fits";
}

const auto add = [](Input<2> x, Input<2> z, Output<2> y) {
  x.named("x"), z.named("z"), y.named("y");
  auto row = blocks(x.extent(0), 1);
  y.store({row, 0}, x.load({row, 0}, {1, whole}) + z.load({row, 0}, {1, whole}));
};

TEST(Extents, TensorsOfOnePositionAgree) {
  EXPECT_EQ(said_of(add, {{8, 100}, {8, 100}, {8, 100}}), "fits");
  EXPECT_EQ(said_of(add, {{0, 100}, {0, 100}, {0, 100}}), "fits");
  const std::string cut =
      "load: x (tensor 0) is (8, 100), and z (tensor 1) is (8, 90): elements 90 to 99 of axis 1 of "
      "x would be left out";
  EXPECT_EQ(said_of(add, {{8, 100}, {8, 90}, {8, 100}}), cut);
  EXPECT_EQ(said_of(add, {{8, 100}, {8, 90}, {8, 90}}), cut);
  EXPECT_EQ(
      said_of(add, {{8, 100}, {7, 100}, {8, 100}}),
      "load: x (tensor 0) is (8, 100), and z (tensor 1) is (7, 100): element 7 of axis 0 of x "
      "would be left out");
  EXPECT_EQ(
      said_of(add, {{8, 100}, {8, 100}, {8, 90}}),
      "load: z (tensor 1) is (8, 100), and y (tensor 2) is (8, 90): elements 90 to 99 of axis "
      "1 of z would be left out");
  EXPECT_EQ(said_of(add, {{8, 100}, {8, 100}, {8, 110}}),
            "store: y (tensor 2) is (8, 110), and z (tensor 1) is (8, 100): elements 100 to 109 of "
            "axis 1 of y would stay unwritten");
  EXPECT_NE(said_of(add, {{8, 100}, {9, 100}, {8, 100}})
                .find("goes over 8: element 8 of axis 0 of z would be left out"),
            std::string::npos);
  EXPECT_NE(said_of(add, {{8, 100}, {8, 100}, {9, 100}})
                .find("goes over 8: element 8 of axis 0 of y would stay unwritten"),
            std::string::npos);
}

TEST(Extents, RowsAndColumnsThatAreSpreadAgree) {
  const auto row = [](Input<2> x, Input<1> b, Output<2> y) {
    auto r = blocks(y.extent(0), 1);
    y.store({r, 0}, x.load({r, 0}, {1, whole}) + b.load({0}, {whole}));
  };
  EXPECT_EQ(said_of(row, {{8, 100}, {100}, {8, 100}}), "fits");
  EXPECT_NE(said_of(row, {{8, 100}, {99}, {8, 100}}), "fits");
  EXPECT_NE(said_of(row, {{8, 100}, {101}, {8, 100}}), "fits");
  const auto column = [](Input<2> x, Input<1> b, Output<2> y) {
    auto r = blocks(y.extent(0), 1);
    y.store({r, 0}, x.load({r, 0}, {1, whole}) * b.named("b").load({r}, {1}));
  };
  EXPECT_EQ(said_of(column, {{8, 100}, {8}, {8, 100}}), "fits");
  EXPECT_NE(said_of(column, {{8, 100}, {5}, {8, 100}}).find("outside of b would be read as 0"),
            std::string::npos);
  EXPECT_NE(said_of(column, {{8, 100}, {9}, {8, 100}}), "fits");
  const auto one = [](Input<2> x, Input<2> factor, Output<2> y) {  // (1, 1) for all
    auto r = blocks(y.extent(0), 1);
    y.store({r, 0}, x.load({r, 0}, {1, whole}) * factor.load({0, 0}, {1, 1}));
  };
  EXPECT_EQ(said_of(one, {{8, 100}, {1, 1}, {8, 100}}), "fits");
}

TEST(Extents, ProductsReductionsAndLoops) {
  const auto gemm = samples::bias_silu;
  EXPECT_EQ(said_of(gemm, {{64, 50}, {70, 50}, {70}, {64, 70}}), "fits");
  EXPECT_EQ(said_of(gemm, {{64, 0}, {70, 0}, {70}, {64, 70}}), "fits");
  for (const Extents& wrong :
       {Extents{{64, 51}, {70, 50}, {70}, {64, 70}}, Extents{{64, 50}, {70, 51}, {70}, {64, 70}},
        Extents{{64, 50}, {70, 99}, {70}, {64, 70}}, Extents{{63, 50}, {70, 50}, {70}, {64, 70}},
        Extents{{64, 50}, {71, 50}, {70}, {64, 70}}, Extents{{64, 50}, {70, 50}, {69}, {64, 70}},
        Extents{{64, 50}, {70, 50}, {70}, {64, 72}}, Extents{{64, 0}, {70, 3}, {70}, {64, 70}}}) {
    Signature signature;
    for (const auto& one : wrong) signature.tensors.push_back({f32, one});
    EXPECT_THROW(refuse_disagreeing_extents(trace("p", gemm, signature).function, wrong),
                 base::Refusal)
        << wrong[0][0] << ' ' << wrong[0][1] << ' ' << wrong[1][0] << ' ' << wrong[1][1];
  }
  const auto sums = [](Input<2> x, Input<2> z, Output<1> y) {  // over columns in a loop
    auto r = blocks(y.extent(0), 1);
    auto total = loop(x.extent(1), 64, zeros({1, 1}), [&](Index k, Tile before) {
      return before + sum(x.load({r, k}, {1, 64}) * z.load({r, k}, {1, 64}), axis(1));
    });
    y.store({r}, total);
  };
  EXPECT_EQ(said_of(sums, {{8, 1000}, {8, 1000}, {8}}), "fits");
  EXPECT_NE(said_of(sums, {{8, 1000}, {8, 990}, {8}}), "fits");
  EXPECT_NE(said_of(sums, {{8, 1000}, {8, 1100}, {8}}), "fits");
  EXPECT_NE(said_of(sums, {{8, 1000}, {8, 1000}, {7}}), "fits");
  const auto stores = [](Input<2> x, Output<2> y) {  // of parts of a row
    auto r = blocks(y.extent(0), 1);
    loop(y.extent(1), 64, zeros({1, 1}), [&](Index k, Tile carried) {
      y.store({r, k}, x.load({r, k}, {1, 64}) * 2.0);
      return carried;
    });
  };
  EXPECT_EQ(said_of(stores, {{8, 1000}, {8, 1000}}), "fits");
  EXPECT_NE(said_of(stores, {{8, 900}, {8, 1000}}), "fits");
  EXPECT_NE(said_of(stores, {{8, 1100}, {8, 1000}}), "fits");
}

TEST(Extents, SeveralStoresAndLoadsCountTogether) {
  const auto joined = [](Input<1> a, Input<1> b, Output<1> y) {
    auto first = blocks(a.extent(0), 16), second = blocks(b.extent(0), 16);
    y.store({first}, a.load({first}, {16}));
    y.store({second + a.extent(0)}, b.load({second}, {16}));
  };
  EXPECT_EQ(said_of(joined, {{20}, {30}, {50}}), "fits");
  EXPECT_EQ(said_of(joined, {{20}, {30}, {51}}),
            "store: out0 (tensor 2) is (51), and none of its 2 stores writes element (50)");
  EXPECT_NE(said_of(joined, {{20}, {30}, {49}}), "fits");
  const auto twice = [](Input<1> a, Input<1> b, Output<1> y) {  // as many elements as y has
    auto first = blocks(a.extent(0), 16);
    y.store({first}, a.load({first}, {16}));
    y.store({first}, b.load({first}, {16}));
  };
  EXPECT_EQ(said_of(twice, {{20}, {20}, {20}}), "fits");
  EXPECT_NE(said_of(twice, {{20}, {20}, {40}}), "fits");
  const auto split = [](Input<1> x, Output<1> a, Output<1> b) {
    auto first = blocks(a.extent(0), 16);
    a.store({first}, x.load({first}, {16}));
    b.store({first}, x.load({first + a.extent(0)}, {16}));
  };
  EXPECT_EQ(said_of(split, {{40}, {20}, {20}}), "fits");
  EXPECT_NE(said_of(split, {{41}, {20}, {20}}), "fits");
  EXPECT_NE(said_of(split, {{40}, {20}, {21}}), "fits");
  const auto stencil = [](Input<1> x, Input<1> z, Output<1> y) {
    auto first = blocks(y.extent(0), 16);
    y.store({first}, x.load({first}, {16}) + x.load({first + 2}, {16}) + z.load({first}, {16}));
  };
  EXPECT_EQ(said_of(stencil, {{42}, {40}, {40}}), "fits");
  EXPECT_NE(said_of(stencil, {{40}, {40}, {40}}), "fits");
  EXPECT_NE(said_of(stencil, {{42}, {42}, {40}}), "fits");
  const auto even = [](Input<1> x, Output<1> y) {
    auto one = blocks(x.extent(0), 1);
    y.store({one * 2}, x.load({one}, {1}));
  };
  EXPECT_NE(said_of(even, {{10}, {20}}), "fits");
  const auto both = [](Input<1> x, Output<1> y) {
    auto one = blocks(x.extent(0), 1);
    y.store({one * 2}, x.load({one}, {1}));
    y.store({one * 2 + 1}, x.load({one}, {1}));
  };
  EXPECT_EQ(said_of(both, {{10}, {20}}), "fits");
  EXPECT_NE(said_of(both, {{10}, {22}}), "fits");
}

TEST(Extents, PartsThatAreMeant) {
  const auto first_column = [](Input<2> x, Output<1> y) {
    auto r = blocks(x.extent(0), 1);
    y.store({r}, x.load({r, 0}, {1, 1}));
  };
  EXPECT_EQ(said_of(first_column, {{8, 100}, {8}}), "fits");
  const auto every_second = [](Input<1> x, Output<1> y) {
    auto one = blocks(y.extent(0), 1);
    y.store({one}, x.load({one * 2}, {1}));
  };
  EXPECT_EQ(said_of(every_second, {{20}, {10}}), "fits");
  const auto total = [](Input<1> x, Output<1> y) {
    auto first = blocks(x.extent(0), 16);
    y.add({0}, sum(x.load({first}, {16}), axis(0)));
  };
  EXPECT_EQ(said_of(total, {{100}, {3}}), "fits");
  const auto part = [](Input<2> x, Output<2> y) {
    auto r = blocks(x.extent(0), 1);
    y.store_part({r + 1, 0}, x.load({r, 0}, {1, whole}));
  };
  EXPECT_EQ(said_of(part, {{8, 100}, {9, 90}}), "fits");
  const auto filled = [](Input<1> x, Output<1> y) {
    auto first = blocks(x.extent(0), 16);
    y.store({first}, full({16}, 1.0));
  };
  EXPECT_EQ(said_of(filled, {{40}, {40}}), "fits");
  EXPECT_EQ(
      said_of(filled, {{40}, {39}}),
      "store: out0 (tensor 1) is (39), and 40 elements of axis 0 are stored to it: element 39 "
      "would be left out");
  EXPECT_NE(said_of(filled, {{40}, {50}}), "fits");
  const auto at_once = [](Output<1> y) { y.store({0}, full({128}, 1.0)); };
  EXPECT_EQ(said_of(at_once, {{128}}), "fits");
  EXPECT_EQ(said_of(at_once, {{100}}),
            "store: out0 (tensor 0) is (100), and 128 elements of axis 0 are stored to it: "
            "elements 100 to 127 would be left out");
  const auto beside_whole = [](Input<1> x, Output<1> y) {
    y.store({0}, to(iota({x.load({0}, {whole}).extents()[0]}, axis(0)), f32));
  };
  EXPECT_EQ(said_of(beside_whole, {{100}, {100}}), "fits");
  const auto beside_part = [](Input<1> x, Output<1> y) {
    const Tile head = x.load({0}, {128});
    y.store({0}, full({head.extents()[0]}, 1.0));
  };
  EXPECT_EQ(said_of(beside_part, {{1000}, {128}}), "fits");
  EXPECT_NE(said_of(beside_part, {{1000}, {100}}), "fits");
}

// max(v, 1) is no reduction: a row of each block at the place of one element.
TEST(Extents, BlocksThatStoreOverEachOther) {
  const auto row_into_element = [](Input<2> a, Output<1> y) {
    auto r = blocks(a.extent(0), 1);
    y.named("y").store({r}, max(a.load({r, 0}, {1, whole}), 1));
  };
  EXPECT_EQ(said_of(row_into_element, {{8, 100}, {8}}),
            "store: y (tensor 1) is (8), and each block stores 8 elements of axis 0, 1 element "
            "behind the block before it: blocks would overwrite each other");
  EXPECT_EQ(said_of(row_into_element, {{1, 100}, {1}}),
            "store: y (tensor 1) is (1), and 100 elements of axis 0 are stored to it: elements 1 "
            "to 99 would be left out");
  EXPECT_EQ(said_of(row_into_element, {{8, 1}, {8}}), "fits");
  const auto flat = [](Input<2> a, Output<1> y) {  // rows one behind another
    auto r = blocks(a.extent(0), 1);
    y.store({r * 100}, a.load({r, 0}, {1, whole}));
  };
  EXPECT_EQ(said_of(flat, {{8, 100}, {800}}), "fits");
  EXPECT_NE(said_of(flat, {{8, 101}, {801}}), "fits");
  const auto tiles = [](Input<2> a, Output<2> y) {  // 64 columns, 32 behind each other
    auto r = blocks(a.extent(0), 1), c = blocks(a.extent(1), 32);
    y.store({r, c}, a.load({r, c}, {1, 64}));
  };
  EXPECT_NE(said_of(tiles, {{8, 100}, {8, 100}}), "fits");
  EXPECT_EQ(said_of(tiles, {{8, 30}, {8, 30}}), "fits");
  const auto rows = [](Input<1> a, Output<2> y) {  // on the diagonal, apart along rows
    auto r = blocks(a.extent(0), 1);
    y.store({r, 0}, full({1, 16}, 2.0) + a.load({r}, {1}));
    y.store({r, r}, full({1, 8}, 3.0));
  };
  EXPECT_EQ(said_of(rows, {{8}, {8, 16}}), "fits");
  const auto meant = [](Input<1> a, Output<1> y) {  // halos that two blocks compute
    auto first = blocks(a.extent(0), 16);
    y.store_part({first}, a.load({first}, {32}));
  };
  EXPECT_EQ(said_of(meant, {{40}, {40}}), "fits");
  const auto added = [](Input<2> a, Output<1> y) {
    auto r = blocks(a.extent(0), 1);
    y.add({r}, a.load({r, 0}, {1, whole}));
  };
  EXPECT_EQ(said_of(added, {{3, 4}, {8}}), "fits");
}

// The counter of a loop is its turn times the step, once.
TEST(Extents, OfArraysInLoops) {
  static const int numbers[128] = {};
  const auto weighted = [](std::size_t count) {
    return [=](Input<1> x, Output<1> y) {
      const Array<int> weights(numbers, count, "weights");
      y.store({0}, loop(x.extent(0), 32, zeros({1}), [&](Index k, Tile before) {
                return before +
                       sum(x.load({k}, {32}) * to(weights[k + iota({32}, axis(0))], f32), axis(0));
              }));
    };
  };
  const Signature signature = samples::signature({{f32, {128}}, {f32, {1}}});
  const auto run = [&](std::size_t count) {
    std::vector<HostTensor> tensors{{{128}, std::vector<double>(128, 1.0)}, {{1}, {0.0}}};
    tensors.push_back({{static_cast<std::int64_t>(count)}, std::vector<double>(count, 2.0)});
    Program("weighted", weighted(count)).reference(signature, tensors);
    return tensors[1].values[0];
  };
  EXPECT_EQ(run(128), 256);
  EXPECT_THROW(run(127), base::Refusal);
}

class ExtentsOfCalls : public testing::ProgramTest {
 protected:
  template <class... Tensors>
  std::string refused(const Program& program, const Tensors&... tensors) {
    return refusal_of([&] { program(stream, tensors...); }).what();
  }
};

// A compiled kernel has extents as arguments: every call is looked at, not only the first.
TEST_F(ExtentsOfCalls, AreComparedInEveryCall) {
  const Program sums = program("add", add);
  const Memory x = input(f32, {8, 100}), z = input(f32, {8, 100}), y = output(f32, {8, 100});
  expect_right(sums, {&x, &z, &y});
  const std::vector<double> before = y.values();
  const auto cut = [](const Memory& from, std::int64_t rows, std::int64_t columns) {
    return Tensor(from.data(), f32, {rows, columns}, {100, 1});
  };
  EXPECT_NE(refused(sums, x.tensor(), cut(z, 8, 90), y.tensor())
                .find("z (tensor 1) is (8, 90): elements 90 to 99 of axis 1 of x"),
            std::string::npos);
  EXPECT_NE(refused(sums, x.tensor(), z.tensor(), cut(y, 7, 100)).find("y (tensor 2) is (7, 100)"),
            std::string::npos);
  EXPECT_EQ(sums.variants(), 1);
  EXPECT_EQ(y.values(), before);
  sums(stream, cut(x, 7, 90), cut(z, 7, 90), cut(y, 7, 90));  // the way out
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(ExtentsOfCalls, AnOutputIsStoredTo) {
  const int line = __LINE__ + 1;
  const Program forgotten = program("forgotten", [](Input<1> x, Output<1> y, Output<1> z) {
    auto first = blocks(x.extent(0), 16);
    y.store({first}, x.load({first}, {16}));
    z.named("z");
  });
  const Memory x = input(f32, {40}), y = output(f32, {40}), z = output(f32, {40});
  EXPECT_EQ(
      refused(forgotten, x.tensor(), y.tensor(), z.tensor()),
      "extents_test.cpp:" + std::to_string(line) +
          ": forgotten: z (tensor 2) is an Output and nothing is stored to it; store to it in "
          "the lambda, or take it out of its parameters");
  EXPECT_EQ(refused(forgotten, x.tensor(), y.tensor()),
            "extents_test.cpp:" + std::to_string(line) +
                ": forgotten: called with 2 tensors, the lambda takes 3: Input<1>, Output<1>, "
                "Output<1>");
}

}  // namespace
}  // namespace aisp::jit
