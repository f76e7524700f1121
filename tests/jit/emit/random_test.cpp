// Random programs on the device against the interpreter: a wrong value, a write outside or an
// internal error is a bug; declining a schedule is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/jit/support/random_program.hpp"
#include "tests/support/sweep.hpp"

namespace aisp::jit {

// 25 programs are one module. A full sweep tries 150; AISP_JIT_RANDOM=500 tries as many, and
// AISP_JIT_SEED begins elsewhere.
static int number_of(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

static void expect_right(testing::Trial (*trial)(int), int sampled) {
  const int first = number_of("AISP_JIT_SEED", 1);
  const int count = number_of("AISP_JIT_RANDOM", test_sweep::cases(sampled, 150));
  for (int begin = first; begin < first + count; begin += 25) {
    std::vector<testing::Trial> trials;
    for (int seed = begin; seed < std::min(begin + 25, first + count); ++seed)
      trials.push_back(trial(seed));
    EXPECT_THAT(testing::run_all(std::move(trials)), ::testing::ElementsAre());
  }
}

TEST(RandomOnDevice, ProgramsAreRight) { expect_right(testing::random_trial, 50); }

// NaN, infinities, zeros of both signs and subnormal numbers as constants and as inputs: whether a
// result is NaN, and the sign of a zero, are compared as well.
TEST(RandomOnDevice, ProgramsOfSpecialNumbersAreRight) { expect_right(testing::special_trial, 25); }

}  // namespace aisp::jit
