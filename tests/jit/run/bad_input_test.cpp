// What a user can do wrong with a program: each is one line, compared as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "jit/run/overlap.hpp"
#include "tests/jit/support/program_test.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

using lab::refusal_of;
using testing::Memory;

class BadInput : public testing::ProgramTest {
 protected:
  template <class... Tensors>
  std::string refused(const Program& program, const Tensors&... tensors) {
    return refusal_of([&] { program(stream, tensors...); }).what();
  }
  // What a refusal says behind the line of the program; nothing where it does not begin with one.
  static std::string behind_place(const std::string& refusal) {
    static const std::regex place("bad_input_test\\.cpp:[0-9]+: (.*)");
    std::smatch found;
    return std::regex_match(refusal, found, place) ? found[1].str() : "";
  }
};

TEST_F(BadInput, NumberRankAndTypeOfTensors) {
  const std::string here = "bad_input_test.cpp:" + std::to_string(__LINE__ + 1) + ": ";
  const Program softmax = program("softmax", samples::softmax);
  const Memory x = input(f32, {4, 64}), y = output(f32, {4, 64}), z = output(f32, {4});
  EXPECT_EQ(refused(softmax, x.tensor()),
            here + "softmax: called with 1 tensor, the lambda takes 2: Input<2>, Output<2>");
  EXPECT_EQ(refused(softmax, x.tensor(), y.tensor(), z.tensor()),
            here + "softmax: called with 3 tensors, the lambda takes 2: Input<2>, Output<2>");
  EXPECT_EQ(refused(softmax, x.tensor(), z.tensor()),
            here + "softmax: tensor 1 has 1 axes, the lambda takes Output<2> there");
  EXPECT_EQ(refused(softmax, Tensor(x.data(), tf32, {4, 64}), y.tensor()),
            here + "softmax: tensor 0: memory holds no tf32");
  const std::vector<Tensor> many(17, x.tensor());
  EXPECT_EQ(std::string(refusal_of([&] { softmax.launch(stream, many); }).what()),
            here + "softmax: called with 17 tensors, the lambda takes 2: Input<2>, Output<2>");
  EXPECT_STREQ(refusal_of([&] {
                 Tensor(x.data(), f32, {4, 64}, {64});
               }).what(),
               "a tensor of 2 axes has as many strides: got 1");
  EXPECT_STREQ(refusal_of([&] {
                 Tensor(x.data(), f32, {4, -1});
               }).what(),
               "axis 1 of a tensor has -1 elements; it has 0 or more");
  EXPECT_STREQ(refusal_of([&] {
                 Tensor(x.data(), f32, {1, 2, 3, 4});
               }).what(),
               "a tensor has 1 to 3 axes: got 4");
}

TEST_F(BadInput, Addresses) {
  const Program softmax = program("softmax", samples::softmax);
  const Memory x = input(f32, {4, 64}), y = output(f32, {4, 64});
  EXPECT_EQ(
      behind_place(refused(softmax, Tensor(static_cast<float*>(nullptr), {4, 64}), y.tensor())),
      "softmax: x (tensor 0) is a null pointer; give it device memory");
  EXPECT_EQ(behind_place(refused(softmax, Tensor(static_cast<char*>(x.data()) + 2, f32, {3, 64}),
                                 Tensor(y.data(), f32, {3, 64}))),
            "softmax: x (tensor 0) is 2 bytes past a multiple of 4, the size of f32; align it");
  EXPECT_EQ(behind_place(
                refused(softmax, x.tensor(), Tensor(static_cast<const float*>(y.data()), {4, 64}))),
            "softmax: y (tensor 1) is written and its pointer is to const");
  EXPECT_EQ(behind_place(refused(softmax, Tensor(x.data(), f32, {3'000'000'000, 64}), y.tensor())),
            "softmax: axis 0 of x (tensor 0) has 3000000000 elements; a program counts to "
            "2000000000: cut the tensor into several calls");
}

TEST_F(BadInput, OutputsThatShareMemory) {
  const Program softmax = program("softmax", samples::softmax);
  const Memory x = input(f32, {8, 128}), y = output(f32, {8, 128});
  auto* const from = static_cast<float*>(x.data());
  EXPECT_EQ(
      behind_place(refused(softmax, Tensor(from, {4, 128}), Tensor(from + 2 * 128, {4, 128}))),
      "softmax: y (tensor 1) overlaps x (tensor 0), and is not the same tensor; give it "
      "memory of its own");
  EXPECT_EQ(behind_place(refused(softmax, x.tensor(), Tensor(y.data(), f32, {8, 128}, {0, 1}))),
            "softmax: y (tensor 1) has several elements in one place: extents (8, 128), strides "
            "(0, 1); an output has a place for each");
  const Program two = program("two", [](Input<1> a, Output<1> b, Output<1> c) {
    auto first = blocks(a.extent(0), 256);
    auto v = a.load({first}, {256});
    b.store({first}, v + 1.0);
    c.store({first}, v - 1.0);
  });
  auto* const to = static_cast<float*>(y.data());
  EXPECT_EQ(
      behind_place(refused(two, Tensor(from, {256}), Tensor(to, {256}), Tensor(to + 255, {256}))),
      "two: out0 (tensor 1) overlaps out1 (tensor 2), which is written too; give it memory "
      "of its own");
  two(stream, Tensor(from, {256}), Tensor(to, {256}), Tensor(to + 256, {256}));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(BadInput, HalvesOfOneBufferAreApart) {
  const Program softmax = program("softmax", samples::softmax);
  const Memory both = input(f32, {4, 128});
  auto* const all = static_cast<float*>(both.data());
  softmax(stream, Tensor(all, {4, 64}, {128, 1}), Tensor(all + 64, {4, 64}, {128, 1}));
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  double sum = 0;
  for (std::size_t column = 64; column < 128; ++column) sum += both.values()[column];
  EXPECT_NEAR(sum, 1.0, 1e-5);
  softmax(stream, Tensor(all, {4, 64}, {128, 2}), Tensor(all + 1, {4, 64}, {128, 2}));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess) << "even and odd columns";
}

TEST_F(BadInput, InPlaceIsRightWhereEveryElementIsReadBeforeItIsWritten) {
  const Program softmax = program("softmax", samples::softmax);
  for (const std::int64_t columns : {64, 3000}) {
    const Memory x = input(f32, {5, columns}), y = output(f32, {5, columns});
    for (const bool kept : {true, false}) {
      const Program mode = kept ? softmax : softmax.with({{"kept", 0}});
      mode(stream, x.tensor(), y.tensor());
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      const Memory again(f32, host[host.size() - 2]);
      mode(stream, again.tensor(), again.tensor());
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      EXPECT_EQ(again.values(), y.values()) << columns << (kept ? " kept" : " read again");
    }
  }
}

TEST_F(BadInput, InPlaceIsRefusedWhereOthersReadIt) {
  const auto expect_refused = [&](const Program& program, const Tensor& from, const Tensor& to) {
    EXPECT_EQ(behind_place(refused(program, from, to)),
              "shift: out0 (tensor 1) overlaps in0 (tensor 0), which is read at other places, or "
              "by other threads, than it is written; give it memory of its own");
  };
  const Memory x = input(f32, {512}), wide = input(f32, {16, 32});
  expect_refused(program("shift",
                         [](Input<1> a, Output<1> b) {
                           auto first = blocks(a.extent(0), 128);
                           b.store_part({first}, a.load({first - 1}, {128}));  // the neighbour's
                         }),
                 x.tensor(), x.tensor());
  expect_refused(program("shift",
                         [](Input<1> a, Output<1> b) {
                           auto first = blocks(a.extent(0), 64);  // two blocks have each element
                           b.store_part({first}, a.load({first}, {128}) * 2.0);
                         }),
                 x.tensor(), x.tensor());
  expect_refused(program("shift",
                         [](Input<2> a, Output<2> b) {
                           auto row = blocks(a.extent(0), 1);
                           auto copies = blocks(a.extent(1), 32);
                           (void)copies;  // further blocks of the same rows
                           b.store({row, 0}, a.load({row, 0}, {1, 32}) * 2.0);
                         }),
                 wide.tensor(), wide.tensor());
  expect_refused(program("shift",
                         [](Input<2> a, Output<2> b) {  // the plain schedule
                           auto row = blocks(a.extent(0), 4);
                           auto v = a.load({row, 0}, {4, 32});
                           b.store({row, 0}, v - sum(v, axis(0)));
                         }),
                 wide.tensor(), wide.tensor());
  expect_refused(program("shift",
                         [](Input<2> a, Output<2> b) {  // all threads read what one writes
                           auto row = blocks(a.extent(0), 1);
                           b.store({row, 0}, a.load({row, 0}, {1, 32}) + a.load({row, 0}, {1, 1}));
                         }),
                 wide.tensor(), wide.tensor());
}

TEST_F(BadInput, AxesAndShapesSayTheLine) {
  const Memory x = input(f32, {8, 64}), y = output(f32, {8, 64});
  const auto said_by = [&](const auto& lambda) {
    return refused(program("odd", lambda), x.tensor(), y.tensor());
  };
  const auto wrong_axis = [](Input<2> a, Output<2> b) {
#line 14 "odd.cpp"
    b.store({0, 0}, max(a.load({0, 0}, {1, whole}), axis(2)));
  };
  const auto mean_axis = [](Input<2> a, Output<2> b) {
#line 21 "odd.cpp"
    b.store({0, 0}, mean(a.load({0, 0}, {1, whole}), axis(2)));
  };
  const auto softmax_axis = [](Input<2> a, Output<2> b) {
#line 22 "odd.cpp"
    b.store({0, 0}, softmax(a.load({0, 0}, {1, whole}), axis(-3)));
  };
  const auto starts = [](Input<2> a, Output<2> b) {
#line 15 "odd.cpp"
    b.store({0, 0}, a.load({0}, {64}));
  };
  const auto shapes = [](Input<2> a, Output<2> b) {
#line 16 "odd.cpp"
    b.store({0, 0}, a.load({0, 0}, {2, 64}) * a.load({0, 0}, {3, 64}));
  };
  const auto extent = [](Input<2> a, Output<2> b) {
#line 17 "odd.cpp"
    b.store({0, 0}, a.load({0, 0}, {1, a.extent(1)}));
  };
  const auto no_axis = [](Input<2> a, Output<2> b) {
#line 18 "odd.cpp"
    auto row = blocks(a.extent(2), 1);
    b.store({row, 0}, a.load({row, 0}, {1, whole}));
  };
  const auto no_block = [](Input<2> a, Output<2> b) {
#line 19 "odd.cpp"
    auto row = blocks(a.extent(0), 0);
    b.store({row, 0}, a.load({row, 0}, {1, whole}));
  };
  const auto stored = [](Input<2> a, Output<2> b) {
#line 20 "odd.cpp"
    b.store({0}, a.load({0, 0}, {1, whole}));
  };
#line 217 "tests/jit/run/bad_input_test.cpp"
  EXPECT_EQ(said_by(wrong_axis),
            "odd.cpp:14: max(…, axis(2)): the tile (1, 64) has no axis 2; use 0 or 1");
  EXPECT_EQ(said_by(mean_axis),
            "odd.cpp:21: mean(…, axis(2)): the tile (1, 64) has no axis 2; use 0 or 1");
  EXPECT_EQ(said_by(softmax_axis),
            "odd.cpp:22: softmax(…, axis(-3)): the tile (1, 64) has no axis -3; use 0 or 1");
  EXPECT_EQ(said_by(starts), "odd.cpp:15: load: in0 has 2 axes: got 1 starts and the tile (64)");
  EXPECT_EQ(said_by(shapes),
            "odd.cpp:16: mul: the tiles (2, 64) and (3, 64) do not spread to one shape; axes are "
            "equal or 1");
  EXPECT_EQ(said_by(extent),
            "odd.cpp:17: extents of tiles are known when compiling: a number, a choice, or whole");
  EXPECT_EQ(said_by(no_axis), "odd.cpp:18: in0 has no axis 2; it has 2");
  EXPECT_EQ(said_by(no_block), "odd.cpp:19: blocks: a block has at least 1 element: got 0");
  EXPECT_EQ(said_by(stored),
            "odd.cpp:20: store: out0 has 2 axes: got 1 starts and the tile (1, 64)");
}

TEST_F(BadInput, IndicesOutOfAnArray) {
  std::vector<int> zeros(64);
  const Memory memory(s32, {{64}, std::vector<double>(64)});
  const Array<int> numbers(static_cast<const int*>(memory.data()), 64, "numbers");
  const auto said_for = [&](const auto& lambda, std::int64_t count) {
    const Memory x = input(f32, {count}), y = output(f32, {count});
    return refused(program("reads", lambda), x.tensor(), y.tensor());
  };
  const auto by_position = [&](Input<1> a, Output<1> b) {
    auto first = blocks(a.extent(0), 48);
#line 9 "reads.cpp"
    b.store({first}, a.load({first}, {48}) + numbers[first + iota({48}, axis(0))]);
  };
  EXPECT_EQ(said_for(by_position, 64), "nothing was refused") << "what is outside does not count";
  EXPECT_EQ(said_for(by_position, 65),
            "reads.cpp:9: numbers[…]: index up to 64, the array has 64; make it longer, or take "
            "where(inside, index, 0)");
  const auto backwards = [&](Input<1> a, Output<1> b) {
    auto first = blocks(a.extent(0), 32);
#line 10 "reads.cpp"
    b.store({first}, a.load({first}, {32}) + numbers[30 - iota({32}, axis(0))]);
  };
  EXPECT_EQ(said_for(backwards, 31), "nothing was refused");
  EXPECT_EQ(said_for(backwards, 40),
            "reads.cpp:10: numbers[…]: index down to -1, the array has 64; make it longer, or take "
            "where(inside, index, 0)");
  const auto half = [&](Input<1> a, Output<1> b) {
    auto first = blocks(a.extent(0), 32);
#line 11 "reads.cpp"
    b.store({first}, a.load({first}, {32}) + numbers[(first + iota({32}, axis(0))) / 2]);
  };
  EXPECT_EQ(said_for(half, 128), "nothing was refused");
  EXPECT_EQ(said_for(half, 129),
            "reads.cpp:11: numbers[…]: index up to 64, the array has 64; make it longer, or take "
            "where(inside, index, 0)");
  const auto guarded = [&](Input<1> a, Output<1> b) {
    auto first = blocks(a.extent(0), 32);
    auto at = first + iota({32}, axis(0));
    b.store({first}, a.load({first}, {32}) + where(at < 64, to(numbers[at], f32), 0.0) +
                         numbers[at % 64] + numbers[where(at < 64, at, 0)]);
  };
  EXPECT_EQ(said_for(guarded, 1000), "nothing was refused");
}
#line 267 "tests/jit/run/bad_input_test.cpp"

TEST_F(BadInput, AnOutputOverAnArray) {
  const Memory memory(f32, {{64}, std::vector<double>(64)});
  const Array<float> table(static_cast<const float*>(memory.data()), 64, "table");
  const Program program = this->program("reads", [&](Input<1> a, Output<1> b) {
    auto first = blocks(a.extent(0), 32);
    b.store({first}, a.load({first}, {32}) + table[first + iota({32}, axis(0))]);
  });
  const Memory x = input(f32, {64});
  EXPECT_EQ(behind_place(refused(program, x.tensor(), memory.tensor())),
            "reads: out0 (tensor 1) overlaps the array table, which is read; give it memory of its "
            "own");
}

TEST_F(BadInput, AnArchitectureThatIsNotKnown) {
  const Program old("softmax", samples::softmax, {.architecture = "sm_35", .store = &store});
  const Memory x = input(f32, {4, 64}), y = output(f32, {4, 64});
  EXPECT_THAT(
      refused(old, x.tensor(), y.tensor()),
      ::testing::MatchesRegex("NVRTC [0-9]+\\.[0-9]+ does not know sm_35: it compiles for "
                              "sm_[0-9sm_, ]+; install a toolkit that has it, or choose one "
                              "of these"));
}

// In a process of its own: a library is loaded once.
TEST_F(BadInput, NoCompiler) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto without = [&] {
    setenv("AISP_NVRTC_LIBRARY", "libnvrtc_of_nobody.so.13", 1);
    const Memory x = input(f32, {4, 64}), y = output(f32, {4, 64});
    const auto refusal =
        refusal_of([&] { program("softmax", samples::softmax)(stream, x.tensor(), y.tensor()); });
    std::fprintf(stderr, "%s\n", refusal.what());
    std::exit(static_cast<int>(refusal.exit()));
  };
  EXPECT_EXIT(without(), ::testing::ExitedWithCode(4),
              "^NVRTC not found: tried libnvrtc_of_nobody.so.13 \\(.*\\); install the CUDA 13 "
              "toolkit, or set AISP_NVRTC_LIBRARY to its libnvrtc.so.13\n$");
}

TEST_F(BadInput, AnEntryOfAnotherVersion) {
  const Memory x = input(f32, {4, 64}), y = output(f32, {4, 64});
  program("softmax", samples::softmax).prepare(x.tensor(), y.tensor());
  const auto entry = files.path() / "kernels" / kept_entries(files.path() / "kernels").at(0).key;
  std::string bytes = lab::text_of(entry);
  bytes.at(8) = 99;  // behind the magic word: the version of the format
  lab::write_text(entry, bytes);
  std::vector<std::string> lines;
  Store other({.folder = files.path() / "kernels",
               .say = [&](const std::string& line) { lines.push_back(line); }});
  const Program again("softmax", samples::softmax, {.store = &other});
  again(stream, x.tensor(), y.tensor());
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], ::testing::MatchesRegex("kernel cache: [0-9a-f]{64} .*; moved to "
                                                "[0-9a-f]{64}.bad and compiled again"));
  EXPECT_FALSE(std::isnan(y.values()[0]));
}

TEST(Overlap, IsThatOfElements) {
  float memory[4096] = {};
  const auto at = [&](int first, Tensor::Extents extents, Tensor::Extents strides) {
    return Tensor(memory + first, f32, extents, strides);
  };
  EXPECT_FALSE(overlap(at(0, {8, 4}, {8, 1}), at(4, {8, 4}, {8, 1})));
  EXPECT_TRUE(overlap(at(0, {8, 5}, {8, 1}), at(4, {8, 4}, {8, 1})));
  EXPECT_FALSE(overlap(at(0, {8, 16}, {64, 2}), at(1, {8, 16}, {64, 2})));
  EXPECT_TRUE(overlap(at(0, {8, 16}, {64, 2}), at(64, {1}, {1})));
  EXPECT_FALSE(overlap(at(0, {8, 16}, {64, 2}), at(63, {1}, {1})));
  EXPECT_TRUE(overlap(at(0, {3, 8, 16}, {512, 64, 1}), at(512 + 7 * 64 + 15, {2}, {1000})));
  EXPECT_FALSE(overlap(at(0, {3, 8, 16}, {512, 64, 1}), at(512 + 7 * 64 + 16, {2}, {1})));
  EXPECT_TRUE(overlap(at(100, {10}, {-1}), at(91, {1}, {1})));
  EXPECT_FALSE(overlap(at(100, {10}, {-1}), at(90, {1}, {1})));
  EXPECT_FALSE(overlap(at(0, {0, 8}, {8, 1}), at(0, {8, 8}, {8, 1})));
  // Other widths: the bytes count.
  EXPECT_TRUE(overlap(at(0, {4}, {1}), Tensor(reinterpret_cast<char*>(memory) + 15, s8, {1})));
  EXPECT_FALSE(overlap(at(0, {4}, {1}), Tensor(reinterpret_cast<char*>(memory) + 16, s8, {1})));
  EXPECT_FALSE(overlaps_itself(at(0, {4, 8}, {8, 1})));
  EXPECT_FALSE(overlaps_itself(at(0, {8, 4}, {1, 8})));
  EXPECT_TRUE(overlaps_itself(at(0, {4, 8}, {7, 1})));
  EXPECT_FALSE(overlaps_itself(at(0, {2, 3}, {3, 2})));
  EXPECT_TRUE(overlaps_itself(at(0, {3, 4}, {3, 2})));
  EXPECT_FALSE(overlaps_itself(at(0, {1, 8}, {0, 1})));
}

}  // namespace aisp::jit
