// Tuning with a clock that is made up: what is tried, what is taken, what is kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/jit/support/program_test.hpp"
#include "tests/jit/support/programs.hpp"

namespace aisp::jit {

using lab::refusal_of;
using testing::Memory;

// Launches each once and says what `seconds` says of its name.
class MadeUpTimer : public Timer {
 public:
  explicit MadeUpTimer(std::function<double(const std::string&)> seconds)
      : seconds_(std::move(seconds)) {}
  std::vector<std::vector<double>> time(std::span<const Contender> contenders, double) override {
    std::vector<std::vector<double>> all;
    for (const Contender& one : contenders) {
      one.launch(nullptr);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << one.name;
      names.push_back(one.name);
      const double median = seconds_(one.name);
      all.push_back({median * 0.99, median, median, median * 1.01});
    }
    return all;
  }
  std::vector<std::string> names;

 private:
  std::function<double(const std::string&)> seconds_;
};

class Tuning : public testing::ProgramTest {
 protected:
  TuneOptions options(double seconds = 60) const { return {.seconds = seconds}; }
  std::int64_t decided(const Program& program, const std::string& name, const Memory& x,
                       const Memory& y) {
    for (const Decision& one : program.inspect(x.tensor(), y.tensor()).decisions)
      if (one.name == name) return one.value;
    return -1;
  }
};

TEST_F(Tuning, TakesWhatIsFasterAndKeepsIt) {
  const Program softmax = program("softmax", samples::softmax);
  const Memory x = input(f32, {3, 1000}), y = output(f32, {3, 1000});
  ASSERT_EQ(decided(softmax, "threads_per_row", x, y), 64);
  MadeUpTimer timer([](const std::string& name) { return name == "threads_per_row=32" ? 1 : 2; });
  const TuneResult result = softmax.tune(timer, options(), x.tensor(), y.tensor());
  EXPECT_EQ(result.choices, (Choices{{"threads_per_row", 32}}));
  EXPECT_EQ(result.tried, result.of);
  EXPECT_GT(result.of, 10);
  EXPECT_EQ(timer.names.front(), "rule");
  EXPECT_EQ(decided(softmax, "threads_per_row", x, y), 32) << "what a call takes now";
  EXPECT_EQ(softmax.variants(), 1);
  expect_right(softmax, {&x, &y});
  EXPECT_THAT(lab::text_of(tuned_file()),
              ::testing::MatchesRegex("aisp-tuned-programs 1\n[0-9a-f]{64} program=softmax "
                                      "tried=[0-9]+ of=[0-9]+ us=1e\\+06 threads_per_row=32\n"));

  const Program later = program("softmax", samples::softmax);  // another process
  EXPECT_EQ(decided(later, "threads_per_row", x, y), 32) << "calls find it without tuning";
  for (const Decision& one : later.inspect(x.tensor(), y.tensor()).decisions)
    if (one.name == "threads_per_row") {
      EXPECT_EQ(one.why, "tuned on this device");
    }
  expect_right(later, {&x, &y});
  MadeUpTimer unused([](const std::string&) { return 1; });
  later.tune(unused, options(), x.tensor(), y.tensor());
  EXPECT_TRUE(unused.names.empty()) << "nothing is timed again";
  EXPECT_EQ(decided(later, "threads_per_row", x, y), 32);

  const Memory wide = input(f32, {3, 2000}), out = output(f32, {3, 2000});
  EXPECT_EQ(decided(later, "threads_per_row", wide, out), 128) << "another variant: the rule's";
}

TEST_F(Tuning, TheSameKeepsTheRule) {
  const Program add = program("add", samples::vector_add);
  const Memory a = input(f32, {3000}), b = input(f32, {3000}), c = output(f32, {3000});
  MadeUpTimer timer([](const std::string& name) { return name == "rule" ? 1.0 : 0.995; });
  const TuneResult result = add.tune(timer, options(), a.tensor(), b.tensor(), c.tensor());
  EXPECT_EQ(result.choices, Choices{});
  EXPECT_EQ(result.attempts.size(), static_cast<std::size_t>(result.of));
  expect_right(add, {&a, &b, &c});
}

TEST_F(Tuning, TriesTheLambdasOwnChoices) {
  const auto lambda = [](Input<1> a, Output<1> b) {
    auto size = choice("size", {256, 512, 1024});
    auto first = blocks(a.extent(0), size);
    b.store({first}, a.load({first}, {size}) * 2.0);
  };
  const Program twice = program("twice", lambda);
  const Memory a = input(f32, {3000}), b = output(f32, {3000});
  MadeUpTimer timer([](const std::string& name) { return name == "size=1024" ? 1 : 2; });
  EXPECT_EQ(twice.tune(timer, options(), a.tensor(), b.tensor()).choices,
            (Choices{{"size", 1024}}));
  expect_right(twice, {&a, &b});
  // What the call sets is not tried.
  MadeUpTimer other([](const std::string&) { return 1; });
  twice.with({{"size", 512}}).tune(other, options(), a.tensor(), b.tensor());
  for (const std::string& name : other.names)
    EXPECT_EQ(name.find("size="), std::string::npos) << name;
}

TEST_F(Tuning, EndsInTimeAndGoesOnThere) {
  const Program softmax = program("softmax", samples::softmax);
  const Memory x = input(f32, {3, 1000}), y = output(f32, {3, 1000});
  MadeUpTimer none([](const std::string&) { return 1; });
  const TuneResult nothing = softmax.tune(none, options(0), x.tensor(), y.tensor());
  EXPECT_EQ(nothing.tried, 0);
  EXPECT_TRUE(none.names.empty());
  // One batch, after which the time is up.
  MadeUpTimer slow([](const std::string& name) {
    if (name == "rule") std::this_thread::sleep_for(std::chrono::seconds(2));
    return 1;
  });
  const TuneResult first = softmax.tune(slow, options(2), x.tensor(), y.tensor());
  EXPECT_GT(first.tried, 1);
  EXPECT_LT(first.tried, first.of);
  MadeUpTimer rest([](const std::string&) { return 1; });
  const TuneResult second = softmax.tune(rest, options(), x.tensor(), y.tensor());
  EXPECT_EQ(second.tried, second.of);
  EXPECT_EQ(static_cast<int>(second.attempts.size()), second.of - first.tried);
}

TEST_F(Tuning, RefusesAFileThatIsNone) {
  const Program softmax = program("softmax", samples::softmax);
  const Memory x = input(f32, {3, 1000}), y = output(f32, {3, 1000});
  MadeUpTimer timer([](const std::string&) { return 1; });
  std::filesystem::create_directories(tuned_file().parent_path());
  const auto said_of = [&](const std::string& text) {
    lab::write_text(tuned_file(), text);
    return std::string(
        refusal_of([&] { softmax.tune(timer, options(), x.tensor(), y.tensor()); }).what());
  };
  EXPECT_EQ(said_of("aisp-tuned 1\n"),
            tuned_file().string() +
                ":1: 'aisp-tuned-programs 1' belongs where 'aisp-tuned 1' "
                "stands; remove the line or the file");
  EXPECT_EQ(
      said_of("aisp-tuned-programs 1\n" + std::string(64, 'a') + " program=p tried=x of=2\n"),
      tuned_file().string() + ":2: is no line of a tuned program; remove the line or the file");
  // A call needs no tuning: it says so and goes on.
  said.clear();
  const Program later = program("later", samples::softmax);
  expect_right(later, {&x, &y});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "later: what was tuned is not taken: " + tuned_file().string() +
                         ":2: is no line of a tuned program; remove the line or the file");
}

}  // namespace aisp::jit
