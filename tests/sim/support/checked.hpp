// Kernels of a few lines under the hazard checker: how many findings it has.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/watch/process_watch.hpp"
#include "tests/sim/support/exec_kernel.hpp"

namespace aisp::checked {

// The pairs of instructions that findings of races name are added to `pairs`.
using Pairs = std::vector<std::pair<int, int>>;
inline std::size_t findings_of(const exec_kernel::Kernel& kernel, Pairs* pairs, sim::Order order) {
  sim::watch::ProcessWatch process("");
  const auto result =
      exec_kernel::run(kernel, {.order = order, .host_threads = 1, .hazards = &process});
  EXPECT_EQ(result.refused, "");
  EXPECT_EQ(result.fault(), "");
  constexpr int instructions = 100;
  if (pairs != nullptr)
    for (int i = 0; i < instructions * instructions; ++i) {
      const std::pair pair{i / instructions, i % instructions};
      if (process.findings.number_of(
              sim::watch::HazardRule::shared_race, "kernel", static_cast<std::uint64_t>(pair.first),
              static_cast<std::uint64_t>(pair.second)) != sim::watch::no_finding)
        pairs->push_back(pair);
    }
  return process.findings.size();
}

// %r2: lane; %p0, %p1, %p2: of warp 0, 1, 2. Words of shared memory: %r3 its lane's; %r4 one of
// 128, far from the neighbours'. 16 bytes: %r5 its lane's, %r6 in another order; %r7 its
// neighbour's in that order. %d2, %d3: 16 bytes of its lane and a word in global memory, from a
// multiple of 512 on.
inline std::size_t findings(const std::string& body, std::uint32_t warps, std::uint32_t blocks = 1,
                            Pairs* pairs = nullptr, sim::Order order = sim::Order::earliest) {
  return findings_of({.body = R"(
      and.b32 %r2, %r0, 31; shr.u32 %r19, %r0, 5;
      setp.eq.u32 %p0, %r19, 0; setp.eq.u32 %p1, %r19, 1; setp.eq.u32 %p2, %r19, 2;
      mad.lo.u32 %r3, %r2, 4, %r1;
      mul.lo.u32 %r4, %r2, 36; and.b32 %r4, %r4, 508; add.u32 %r4, %r4, %r1;
      mad.lo.u32 %r5, %r2, 16, %r1;
      xor.b32 %r6, %r2, 5; mad.lo.u32 %r6, %r6, 16, %r1;
      xor.b32 %r7, %r2, 4; mad.lo.u32 %r7, %r7, 16, %r1;
      add.u64 %d4, %d0, 511; and.b64 %d4, %d4, -512;
      mul.wide.u32 %d2, %r2, 16; add.u64 %d2, %d2, %d4;
      mul.wide.u32 %d3, %r2, 4; add.u64 %d3, %d3, %d4;
      mov.u32 %r8, 0; mov.u32 %r9, 0; mov.u32 %r10, 0; mov.u32 %r11, 0;
      )" + body,
                      .grid = blocks,
                      .block = 32 * warps,
                      .in = std::vector<std::uint32_t>(512)},
                     pairs, order);
}

inline const std::string quads = "{%r12, %r13, %r14, %r15}", zeros = "{%r8, %r9, %r10, %r11}";
inline std::string load(const std::string& who, const std::string& at) {
  return who + " ld.shared.v4.u32 " + quads + ", [" + at + "];\n";
}
inline std::string store(const std::string& who, const std::string& at) {
  return who + " st.shared.v4.u32 [" + at + "], " + zeros + ";\n";
}

}  // namespace aisp::checked
