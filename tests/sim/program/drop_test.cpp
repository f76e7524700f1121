// Mutants: which instructions count, what is left when one is gone.
#include "sim/program/remove_sync.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "sim/exec/host_level.hpp"
#include "sim/program/program.hpp"

using namespace aisp;

namespace {

using sim::list_sync;
using sim::remove_sync;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Its first line is the fourth.
sim::ptx::Module kernels(const std::string& text) {
  return sim::ptx::parse(".version 9.0\n.target sm_90a\n.address_size 64\n" + text);
}
sim::ptx::Module kernel(const std::string& body) {
  return kernels(".entry gemm() {\n" + body + "\nret;\n}\n");
}

// The last column of the list.
std::vector<std::string> texts(const std::string& list) {
  std::vector<std::string> found;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);)
    found.push_back(line.substr(line.rfind('\t') + 1));
  return found;
}

sim::Program decoded(const sim::ptx::Module& module) {
  return sim::decode(
      module, sim::opcode_table(), [](const sim::VariablePlacement&) { return 0u; },
      [](std::uint64_t, const void*, std::size_t) {});
}

TEST(DropSync, KnowsWhatOrdersTensorMemory) {
  auto module = kernel(R"(.reg .b32 %r<4>; .reg .b64 %d<4>;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 32;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r0];
    tcgen05.wait::ld.sync.aligned;
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%r0], {%r1};
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;
    tcgen05.fence::after_thread_sync;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r0];
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 32;)");
  EXPECT_THAT(
      texts(list_sync(module)),
      ElementsAre("tcgen05.wait::ld.sync.aligned;", "tcgen05.wait::st.sync.aligned;",
                  "tcgen05.fence::before_thread_sync;", "tcgen05.fence::after_thread_sync;",
                  "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r0];"));
}

TEST(DropSync, ListsWhatSynchronisesInTheOrderOfTheText) {
  auto module = kernel(R"(.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<3>;
    mbarrier.init.shared::cta.b64 [%r0], 1;
    fence.mbarrier_init.release.cluster;
    bar.sync 0;
    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 64;
    { .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%r0], 0; @!p bra done; }
    mma: add.u32 %r1, %r1, 1;
    wgmma.fence.sync.aligned;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    cp.async.cg.shared.global [%r0], [%d0], 16;
    cp.async.commit_group;
    cp.async.wait_all;
    cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r0];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 1;
    barrier.cluster.arrive.relaxed.aligned;
    barrier.cluster.wait.acquire.aligned;
    bar.warp.sync 0xffffffff;
    bar.red.popc.u32 %r2, 0, %p1;
    membar.gl;
    griddepcontrol.launch_dependents;
    griddepcontrol.wait;
    setmaxnreg.dec.sync.aligned.u32 40;
    done:)");
  EXPECT_THAT(
      texts(list_sync(module)),
      ElementsAre("fence.mbarrier_init.release.cluster;", "bar.sync 0;",
                  "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 64;",
                  "mbarrier.try_wait.parity.shared::cta.b64 p, [%r0], 0;",
                  "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;",
                  "wgmma.wait_group.sync.aligned 0;", "cp.async.commit_group;",
                  "cp.async.wait_all;", "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r0];",
                  "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group.read 1;",
                  "barrier.cluster.arrive.relaxed.aligned;",
                  "barrier.cluster.wait.acquire.aligned;", "bar.warp.sync 0xffffffff;",
                  "membar.gl;", "griddepcontrol.wait;"));
}

TEST(DropSync, AnArrivalWhosePhaseIsUsedStays) {
  auto module = kernel(R"(.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<3>;
    mbarrier.arrive.shared::cta.b64 %d1, [%r0];
    mbarrier.arrive.shared::cta.b64 %d2, [%r0];
    mbarrier.test_wait.shared::cta.b64 %p1, [%r0], %d2;)");
  EXPECT_THAT(texts(list_sync(module)),
              ElementsAre("mbarrier.arrive.shared::cta.b64 %d1, [%r0];",
                          "mbarrier.test_wait.shared::cta.b64 %p1, [%r0], %d2;"));
}

TEST(DropSync, TakesOneInstructionOutOfTheKernelsThatAreMeant) {
  auto module = kernels(
      ".entry gemm_a() {\nbar.sync 0;\nbar.sync 1;\nret;\n}\n"
      ".entry other() {\nbar.sync 2;\nbar.sync 3;\nret;\n}\n");
  EXPECT_EQ(remove_sync(module, "gemm", 1), "gemm_a runs without line 6: bar.sync 1;\n");
  EXPECT_THAT(texts(list_sync(module)), ElementsAre("bar.sync 0;", "bar.sync 2;", "bar.sync 3;"));
  EXPECT_THAT(remove_sync(module, "gemm", 1), IsEmpty());
  EXPECT_THAT(remove_sync(module, "nobody", 0), IsEmpty());
}

TEST(DropSync, FunctionsThatAKernelCallsAreNotCounted) {
  auto module = kernels(
      ".func helper() {\nbar.sync 1;\nret;\n}\n"
      ".entry gemm() {\nbar.sync 0;\ncall helper, ();\nret;\n}\n");
  EXPECT_THAT(texts(list_sync(module)), ElementsAre("bar.sync 0;"));
}

// What is left must decode, in blocks inside the kernel too, and under a guard.
TEST(DropSync, ATestOfAnMbarrierAnswersYes) {
  auto module = kernel(R"(.reg .b32 %r<4>; .reg .pred %p<3>;
    wait:
    { .reg .pred p;
      @%p1 mbarrier.try_wait.parity.shared::cta.b64 p, [%r0], 0;
      selp.b32 %r1, 1, 0, p; }
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra wait;)");
  const std::size_t before = decoded(module).ops.size();
  EXPECT_THAT(remove_sync(module, "gemm", 0), HasSubstr("mbarrier.try_wait"));
  EXPECT_THAT(list_sync(module), IsEmpty());
  EXPECT_EQ(decoded(module).ops.size(), before);
}

TEST(DropSync, LosesOneOperation) {
  auto module = kernel("bar.sync 0;\nbar.sync 1;");
  const std::size_t before = decoded(module).ops.size();
  remove_sync(module, "gemm", 0);
  EXPECT_EQ(decoded(module).ops.size(), before - 1);
}

TEST(DropSync, ATrapKeepsTheGuard) {
  auto module = kernel(R"(.reg .b32 %r<4>; .reg .pred %p<3>;
    bar.sync 0;
    @!%p1 mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r0], 0;)");
  const std::size_t before = decoded(module).ops.size();
  EXPECT_EQ(
      remove_sync(module, "gemm", 1, sim::InItsPlace::trap),
      "gemm stops at line 7: @!%p1 mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r0], 0;\n");
  EXPECT_THAT(texts(list_sync(module)), ElementsAre("bar.sync 0;"));
  const auto& trap =
      std::get<sim::ptx::Instruction>(*std::prev(module.functions[0].body.statements.end(), 2));
  EXPECT_EQ(trap.root, "trap");
  EXPECT_EQ(trap.guard, "%p1");
  EXPECT_TRUE(trap.guard_negated);
  EXPECT_EQ(decoded(module).ops.size(), before);
}

TEST(DropSync, TellsWhereTheCodeWasInlined) {
  auto module = kernels(
      ".file 1 \"ring.cuh\"\n.file 2 \"arch.cuh\"\n"
      ".entry gemm() {\n"
      ".loc 1 90 3\n"
      ".loc 1 40 5, function_name L0, inlined_at 1 90 3\n"
      ".loc 2 7 9, function_name L1, inlined_at 1 40 5\n"
      "bar.sync 0;\n"
      ".loc 1 95 3\n"
      "bar.sync 1;\n"
      "ret;\n}\n");
  EXPECT_EQ(list_sync(module),
            "gemm\t0\t10\tarch.cuh:7 < ring.cuh:40 < ring.cuh:90\tbar.sync 0;\n"
            "gemm\t1\t12\tring.cuh:95\tbar.sync 1;\n");
}

}  // namespace
