// Random programs on the device against the interpreter: a wrong value, a write outside or an
// internal error is a bug; declining a schedule is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/jit/support/random_program.hpp"

namespace aisp::jit {

// 25 programs are one module; AISP_JIT_RANDOM=500 tries as many, AISP_JIT_SEED begins elsewhere.
static int number_of(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

TEST(RandomOnDevice, ProgramsAreRight) {
  const int first = number_of("AISP_JIT_SEED", 1), count = number_of("AISP_JIT_RANDOM", 50);
  for (int begin = first; begin < first + count; begin += 25) {
    std::vector<testing::Trial> trials;
    for (int seed = begin; seed < std::min(begin + 25, first + count); ++seed)
      trials.push_back(testing::random_trial(seed));
    EXPECT_THAT(testing::run_all(std::move(trials)), ::testing::ElementsAre());
  }
}

}  // namespace aisp::jit
