// The call before: found again only when it is the same in everything that was looked at.
#include "jit/run/admitted_call.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace aisp::jit::testing {
namespace {

using Call = std::vector<Tensor>;

void* address(std::uintptr_t at) { return reinterpret_cast<void*>(at); }

Call some_call() {
  return {Tensor(static_cast<const void*>(address(4096)), Element::bf16, {8, 16, 32}),
          Tensor(address(8192), Element::f32, {8, 16}, {64, 1})};
}

TEST(AdmittedCall, IsTheSameInEverything) {
  AdmittedCall before;
  EXPECT_FALSE(before.blocks(some_call()));
  before.keep(some_call(), 77);
  ASSERT_TRUE(before.blocks(some_call()));
  EXPECT_EQ(*before.blocks(some_call()), 77);
  const auto changed = [&](auto change) {
    for (std::size_t at = 0; at < 2; ++at) {
      Call call = some_call();
      change(call[at]);
      if (before.blocks(call)) return false;
    }
    return true;
  };
  EXPECT_TRUE(changed([](Tensor& one) { one.data = address(1 << 20); }));
  EXPECT_TRUE(changed([](Tensor& one) { one.element = Element::s32; }));
  EXPECT_TRUE(changed([](Tensor& one) { one.writable = !one.writable; }));
  EXPECT_TRUE(changed([](Tensor& one) { one.rank = 1; }));
  for (std::size_t axis = 0; axis < most_axes; ++axis) {
    EXPECT_TRUE(changed([&](Tensor& one) { ++one.extents[axis]; })) << axis;
    EXPECT_TRUE(changed([&](Tensor& one) { ++one.strides[axis]; })) << axis;
  }
  Call longer = some_call();
  longer.push_back(longer[0]);
  EXPECT_FALSE(before.blocks(longer));
  longer.pop_back(), longer.pop_back();
  EXPECT_FALSE(before.blocks(longer));
}

// Calls that do not fit are admitted anew each time.
TEST(AdmittedCall, OfMoreTensorsIsNotKept) {
  AdmittedCall before;
  const Call many(9, some_call()[0]);
  before.keep(many, 5);
  EXPECT_FALSE(before.blocks(many));
}

// One thread keeps two calls in turn, two others look for one of them each: what is found belongs
// together. It goes on until each has found its own often enough to have met the other's half.
TEST(AdmittedCall, OfSeveralThreadsIsWhole) {
  AdmittedCall before;
  const auto call_of = [](std::int64_t number) {
    return Call(8, Tensor(address(static_cast<std::uintptr_t>(4096 * number)), Element::f32,
                          {number, number, number}));
  };
  constexpr int enough = 5000;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::atomic<int> looking = 2, wrong = 0, late = 0;
  const auto look_for = [&](std::int64_t own) {
    const Call call = call_of(own);
    for (int found = 0; found < enough;) {
      const auto blocks = before.blocks(call);
      found += blocks.has_value();
      wrong += blocks.has_value() && *blocks != own;
      if (std::chrono::steady_clock::now() > end) {
        ++late;
        break;
      }
    }
    --looking;
  };
  std::thread first(look_for, 1), second(look_for, 2);
  const Call calls[] = {call_of(1), call_of(2)};
  while (looking > 0)
    for (const std::int64_t own : {1, 2}) {
      before.keep(calls[own - 1], own);
      for (int turn = 0; turn < 2000; ++turn) std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  first.join(), second.join();
  EXPECT_EQ(late, 0);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace aisp::jit::testing
