// multimem instructions: what is told to an observer, and what faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "sim/machine/quiet_observer.hpp"
#include "tests/sim/support/multicast_rig.hpp"

using namespace aisp;

namespace {

using base::say;
using testing::HasSubstr;
using namespace multicast_rig;

// ---- What an observer hears: every device's own memory.
struct Listener : sim::QuietObserver {
  const Rig& rig;
  std::vector<std::string> heard;
  explicit Listener(const Rig& on) : rig(on) {}
  void access(sim::Warp&, sim::Mask mask, std::byte* const* at,
              const sim::AccessForm& form) override {
    std::string where = "out";
    for (int d = 0; d < team; ++d)
      if (at[0] - rig.of_device[d] >= 0 && at[0] - rig.of_device[d] < static_cast<long>(page))
        where = say("device ", d, "+", at[0] - rig.of_device[d]);
    heard.push_back(say(where, " access ", static_cast<int>(form.access), " order ",
                        static_cast<int>(form.order), " scope ", static_cast<int>(form.scope), " ",
                        form.bytes, " bytes ", mask));
  }
};

std::vector<std::string> heard_of(const std::string& body) {
  Rig rig;
  Listener listener(rig);
  EXPECT_EQ(rig.run(body, &listener), "") << body;
  return listener.heard;
}

std::vector<std::string> of_team(const std::string& rest) {
  std::vector<std::string> all;
  for (const int device : {1, 2, 0}) all.push_back(say("device ", device, "+16 ", rest));
  return all;
}

TEST(Multimem, IsTold) {
  using enum sim::MemoryOrder;
  const auto rest = [](sim::Access access, sim::MemoryOrder order, sim::Scope scope, int bytes) {
    return say("access ", static_cast<int>(access), " order ", static_cast<int>(order), " scope ",
               static_cast<int>(scope), " ", bytes, " bytes ", sim::all_lanes);
  };
  EXPECT_EQ(heard_of("multimem.ld_reduce.add.u32 %r2, [%d0+16];"),
            of_team(rest(sim::Access::read, weak, sim::Scope::gpu, 4)));
  EXPECT_EQ(heard_of("multimem.ld_reduce.acquire.sys.global.add.v2.f32 {%f1, %f2}, [%d0+16];"),
            of_team(rest(sim::Access::read, acquire, sim::Scope::sys, 8)));
  EXPECT_EQ(heard_of("multimem.st.release.cluster.v4.f32 [%d0+16], {%f1, %f2, %f3, %f4};"),
            of_team(rest(sim::Access::write, release, sim::Scope::cluster, 16)));
  EXPECT_EQ(heard_of("multimem.red.add.u32 [%d0+16], 1;"),
            of_team(rest(sim::Access::atomic, relaxed, sim::Scope::sys, 4)));
  EXPECT_EQ(heard_of("multimem.red.release.gpu.global.max.s32 [%d0+16], 1;"),
            of_team(rest(sim::Access::atomic, release, sim::Scope::gpu, 4)));
}

TEST(Multimem, LanesOfAWarpReduceOneAfterTheOther) {
  Rig rig;
  ASSERT_EQ(rig.run("multimem.red.add.u32 [%d0], 3;"), "");
  for (const std::byte* memory : rig.of_device) {
    std::uint32_t counted = 0;
    std::memcpy(&counted, memory, sizeof counted);
    EXPECT_EQ(counted, 96u);
  }
}

// ---- Faults, each in a line.
const char* const load = "multimem.ld_reduce.add.u32 %r2, [%d0];";

TEST(MultimemFaults, OrdinaryMemory) {
  EXPECT_THAT(Rig().run("multimem.ld_reduce.add.u32 %r2, [%d1];"),
              AllOf(HasSubstr("multimem: read of 4 bytes at 0x"),
                    HasSubstr("it takes addresses at which cuMemMap has put an object of "
                              "cuMulticastCreate")));
}

TEST(MultimemFaults, OrdinaryInstructions) {
  for (const char* body : {"ld.global.u32 %r2, [%d0+8];", "st.u32 [%d0+8], %r2;",
                           "atom.global.add.u32 %r2, [%d0+8], 1;", "red.global.add.u32 [%d0+8], 1;",
                           "ld.volatile.u32 %r2, [%d0+8];"})
    EXPECT_THAT(Rig().run(body),
                AllOf(HasSubstr("multicast address: "),
                      HasSubstr("8 bytes into multicast object 7: only multimem instructions "
                                "reach it")))
        << body;
}

TEST(MultimemFaults, MissingMemory) {
  Rig rig;
  rig.range.parts.erase(rig.range.parts.begin() + 2);
  EXPECT_THAT(rig.run(load), HasSubstr("0 bytes into multicast object 7: no memory of device 2 is "
                                       "bound there (cuMulticastBindMem)"));
}

TEST(MultimemFaults, NoAccess) {
  Rig rig;
  rig.range.writers = rig.range.reach = 6;
  EXPECT_THAT(rig.run(load), HasSubstr("cuMemSetAccess has not let device 0 read it"));
  rig.range.reach = 7;
  EXPECT_EQ(rig.run(load), "");
  EXPECT_THAT(rig.run("multimem.st.u32 [%d0], %r2;"),
              HasSubstr("cuMemSetAccess has not let device 0 write it"));
  EXPECT_THAT(rig.run("multimem.red.add.u32 [%d0], %r2;"),
              HasSubstr("cuMemSetAccess has not let device 0 write it"));
}

TEST(MultimemFaults, AddressesOutsideAndBetween) {
  Rig rig;
  EXPECT_THAT(rig.run("multimem.ld_reduce.add.u32 %r2, [%d0+2];"),
              HasSubstr("misaligned read of 4 bytes"));
  EXPECT_THAT(rig.run("multimem.ld_reduce.add.v2.f32 {%f1, %f2}, [%d0+4];"),
              HasSubstr("must be a multiple of 8"));
  EXPECT_THAT(rig.run("multimem.ld_reduce.add.u32 %r2, [%d0+4096];"), HasSubstr("multimem: read"));
  rig.range.bytes = 4;
  EXPECT_THAT(rig.run("multimem.ld_reduce.add.u64 %d2, [%d0];"),
              HasSubstr("multicast object 7 ends 4 bytes behind that"));
}

}  // namespace
