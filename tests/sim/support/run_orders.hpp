// A kernel of tests/sim/exec_kernel.hpp in every order: a program that is right gives the same
// result in all of them.
#pragma once

#include <gtest/gtest.h>

#include "tests/sim/support/exec_kernel.hpp"

namespace aisp::run_orders {

using exec_kernel::Kernel;
using exec_kernel::Result;
using Words = std::vector<std::uint32_t>;

// out[tid.x] = %r9
inline const std::string put =
    "mad.wide.u32 %d9, %r0, 4, %d1;\n"
    "st.global.u32 [%d9], %r9;\n";

inline Result run_well(const Kernel& kernel, const sim::Settings& settings = {}) {
  Result result = exec_kernel::run(kernel, settings);
  EXPECT_EQ(result.refused, "");
  EXPECT_EQ(result.fault(), "");
  return result;
}

inline std::vector<sim::Settings> all_settings() {
  return {{.order = sim::Order::earliest, .host_threads = 1},
          {.order = sim::Order::latest, .host_threads = 1},
          {.order = sim::Order::random, .seed = 1, .host_threads = 1},
          {.order = sim::Order::random, .seed = 2, .host_threads = 1},
          {.order = sim::Order::earliest, .host_threads = 2},
          {.order = sim::Order::random, .seed = 3, .host_threads = 2}};
}

// What the kernel puts out, the same in all orders, with one and with two host threads.
inline Words in_all_orders(const Kernel& kernel) {
  const std::vector<sim::Settings> settings = all_settings();
  const Words first = run_well(kernel, settings[0]).out;
  for (std::size_t i = 1; i < settings.size(); ++i)
    EXPECT_EQ(run_well(kernel, settings[i]).out, first) << "setting " << i;
  return first;
}

// The first `count` words as f(index).
template <class F>
Words words(std::size_t count, F&& f) {
  Words made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = static_cast<std::uint32_t>(f(static_cast<std::uint32_t>(i)));
  return made;
}

inline Words head(Words all, std::size_t count) {
  all.resize(count);
  return all;
}

}  // namespace aisp::run_orders
