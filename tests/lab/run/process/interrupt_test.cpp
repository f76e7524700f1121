#include "lab/run/process/interrupt.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>

namespace aisp::lab {
namespace {

bool is_readable(int descriptor) {
  pollfd watched{descriptor, POLLIN, 0};
  return poll(&watched, 1, 0) == 1;
}

void count(int) {}

// Puts a known handler in place and the old one back.
class InterruptTest : public testing::TestWithParam<int> {
 protected:
  InterruptTest() : old_(std::signal(GetParam(), count)) {}
  ~InterruptTest() override { std::signal(GetParam(), old_); }

  static void (*handler())(int) {
    struct sigaction action {};
    sigaction(GetParam(), nullptr, &action);
    return action.sa_handler;
  }

 private:
  void (*old_)(int);
};

TEST_P(InterruptTest, ASignalMakesItReadableAndPending) {
  const Interrupt interrupt;
  EXPECT_FALSE(interrupt.pending());
  EXPECT_FALSE(is_readable(interrupt.readable()));
  std::raise(GetParam());
  EXPECT_TRUE(interrupt.pending());
  EXPECT_TRUE(is_readable(interrupt.readable()));
  EXPECT_TRUE(is_readable(interrupt.readable())) << "it stays so for whoever asks later";
}

TEST_P(InterruptTest, ManySignalsAreOne) {
  const Interrupt interrupt;
  for (int i = 0; i < 100'000; ++i) std::raise(GetParam());  // more than a pipe holds
  EXPECT_TRUE(interrupt.pending());
}

TEST_P(InterruptTest, TheOldHandlerComesBackAndTheNextOneStartsClean) {
  {
    const Interrupt interrupt;
    EXPECT_NE(handler(), count);
    std::raise(GetParam());
  }
  EXPECT_EQ(handler(), count);
  const Interrupt next;
  EXPECT_FALSE(next.pending());
}

TEST_P(InterruptTest, WhatIsIgnoredStaysIgnored) {
  std::signal(GetParam(), SIG_IGN);
  {
    const Interrupt interrupt;
    std::raise(GetParam());
    EXPECT_FALSE(interrupt.pending());
  }
  EXPECT_EQ(handler(), SIG_IGN);
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace aisp::lab
