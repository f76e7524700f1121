// What a kernel that is stopped tells its author, for every kind of fault.
#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;
using sim::FaultKind;

void expect_report(const Kernel& kernel, FaultKind kind, std::initializer_list<std::string> parts,
                   const sim::Settings& settings = {.host_threads = 1}) {
  const Result result = exec_kernel::run(kernel, settings);
  EXPECT_EQ(result.refused, "");
  ASSERT_TRUE(result.launch.fault) << kernel.body;
  EXPECT_EQ(static_cast<int>(result.launch.fault->kind), static_cast<int>(kind)) << result.fault();
  for (const std::string& part : parts)
    EXPECT_NE(result.fault().find(part), std::string::npos) << part << "\n" << result.fault();
}

// %d2 = %d0 + 4 * thread
const std::string own_address = "mad.wide.u32 %d2, %r0, 4, %d0;\n";

TEST(Report, NamesKernelBlockThreadLineAndSource) {
  expect_report({.body = R"(
    .loc 1 42 7
    mov.u32 %r2, %ctaid.y;
    mul.wide.u32 %d3, %r2, 256;
    add.u64 %d2, %d0, %d3;
    mov.u32 %r3, %tid.y;
    mad.wide.u32 %d2, %r3, 64, %d2;
    mad.wide.u32 %d2, %r0, 4, %d2;
    .loc 1 43 9
    st.global.u32 [%d2], %r0;
  )",
                 .before = ".file 1 \"kernels/scale.cu\"\n",
                 .grid = 1,
                 .block = 16,
                 .in = Words(64 + 52),
                 .name = "_Z5scalePfif",
                 .grid_yz = {1, 3, 1},
                 .block_yz = {1, 4, 1}},
                FaultKind::out_of_bounds,
                {"kernel scale(float*, int, float): out-of-bounds write of 4 bytes at 0x",
                 "0 bytes past the end of allocation #1 (464 bytes at 0x",
                 "block (0,1,0), thread (4,3,0), warp 1 lane 20", "PTX line ",
                 ": st.global.u32 [%d2], %r0;  (kernels/scale.cu:43)"});
}

TEST(Report, OutOfBounds) {
  const std::string load = "ld.global.u32 %r9, [%d2];\n";
  expect_report({.body = own_address + load, .in = Words(31)}, FaultKind::out_of_bounds,
                {"read of 4 bytes", "0 bytes past the end of allocation #1 (124 bytes",
                 "thread (31,0,0), warp 0 lane 31"});
  expect_report({.body = own_address + "ld.global.v2.u32 {%r8, %r9}, [%d0+8];\n", .in = Words(3)},
                FaultKind::out_of_bounds,
                {"the last 4 of 8 bytes are past the end of allocation #1"});
  expect_report({.body = own_address + "ld.global.u32 %r9, [%d2+-8];\n"}, FaultKind::out_of_bounds,
                {"8 bytes before the start of allocation #1", "lane 0"});
  expect_report({.body = "mov.u64 %d3, 0x100000000000;\nadd.u64 %d2, %d0, %d3;\n" + load},
                FaultKind::out_of_bounds, {"bytes past the end of allocation #2"});
  expect_report({.body = "mov.u64 %d2, 0;\nred.global.add.u32 [%d2], 1;\n"},
                FaultKind::out_of_bounds, {"atomic access of 4 bytes at 0x0, a null pointer"});
}

TEST(Report, SharedAndLocalMemory) {
  expect_report({.body = "ld.shared.u32 %r9, [%r1+1024];\n"}, FaultKind::out_of_bounds,
                {"read of 4 bytes at shared offset 1024: the block has 1024 bytes of shared"});
  expect_report({.body = "sub.u32 %r1, %r1, 4;\nst.shared.u32 [%r1], %r0;\n"},
                FaultKind::out_of_bounds, {"write of 4 bytes at shared offset -4"});
  expect_report({.body = "st.shared.u32 [%r1+2], %r0;\n"}, FaultKind::misaligned,
                {"write of 4 bytes", "must be a multiple of 4"});
  expect_report({.body = "mov.u32 %r2, local_bytes;\nadd.u32 %r2, %r2, 100000;\n"
                         "ld.local.u32 %r9, [%r2];\n"},
                FaultKind::out_of_bounds, {"read of 4 bytes at local offset", "local memory"});
  expect_report({.body = "mapa.shared::cluster.u32 %r2, %r1, 0;\nadd.u32 %r2, %r2, 0x5000000;\n"
                         "ld.shared::cluster.u32 %r9, [%r2];\n",
                 .grid = 2,
                 .cluster = 2},
                FaultKind::out_of_bounds, {"names block 5 of a cluster of 2"});
}

TEST(Report, KindsOfMemory) {
  static std::uint32_t on_the_host = 7;
  const std::string host = std::to_string(reinterpret_cast<std::uint64_t>(&on_the_host));
  expect_report({.body = "mov.u64 %d2, " + host + ";\nld.global.u32 %r9, [%d2];\n"},
                FaultKind::host_pointer, {"host pointer in a kernel: read of 4 bytes"});
  expect_report({.body = "mov.b64 %d2, out;\ncvta.param.u64 %d2, %d2;\nst.u32 [%d2], %r0;\n"},
                FaultKind::read_only, {"read-only memory: write of 4 bytes", "kernel parameters"});
  expect_report({.body = "cvt.u64.u32 %d3, %r1;\ncvta.shared.u64 %d3, %d3;\n"
                         "ld.global.u32 %r9, [%d3];\n"},
                FaultKind::bad_address_space, {"which is a shared address"});
  expect_report({.body = own_address + "ld.global.u32 %r9, [%d2+2];\n"}, FaultKind::misaligned,
                {"misaligned read of 4 bytes", "multiple of 4", "lane 0"});
}

// A device with a coherent link reaches what the process has mapped, as the process itself may.
TEST(Report, MemoryOfACoherentHost) {
  static std::uint32_t on_the_host = 7;
  static constexpr std::uint32_t constant = 77;
  const auto address = [](const std::uint32_t& of) {
    return std::to_string(reinterpret_cast<std::uint64_t>(&of));
  };
  const Kernel good{.body = "mov.u64 %d2, " + address(on_the_host) + ";\nmov.u64 %d3, " +
                            address(constant) +
                            ";\nld.global.u32 %r9, [%d3];\nst.global.u32 [%d2], %r9;\n",
                    .target = "sm_100a",
                    .device = "gb200"};
  EXPECT_EQ(exec_kernel::run(good, {.host_threads = 1}).fault(), "");
  EXPECT_EQ(on_the_host, 77u);
  expect_report({.body = "mov.u64 %d2, " + address(constant) + ";\nst.global.u32 [%d2], %r0;\n",
                 .target = "sm_100a",
                 .device = "gb200"},
                FaultKind::read_only, {"read-only memory: write of 4 bytes"});
  expect_report({.body = "mov.u64 %d2, 64;\nld.global.u32 %r9, [%d2];\n",
                 .target = "sm_100a",
                 .device = "gb200"},
                FaultKind::out_of_bounds, {"read of 4 bytes at 0x40, a null pointer"});
}

TEST(Report, UseAfterFree) {
  sim::Memory memory(1 << 24);
  const Kernel kernel{.body = own_address + "ld.global.u32 %r9, [%d2+8];\n"};
  const sim::Program program = exec_kernel::load(kernel, memory);
  void* gone = memory.allocate(256, sim::MemoryKind::device);
  memory.release(gone);
  const std::uint64_t params[] = {reinterpret_cast<std::uint64_t>(gone), 0};
  const auto result = sim::launch(program, *program.kernel("kernel"), sim::device_model("h200"),
                                  memory, {}, {.grid = {}, .block = {32, 1, 1}, .cluster = {}},
                                  std::as_bytes(std::span(params)), 0);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::use_after_free);
  EXPECT_NE(result.fault->text.find("8 bytes into allocation #1 (256 bytes at 0x"),
            std::string::npos);
  EXPECT_NE(result.fault->text.find(", freed"), std::string::npos) << result.fault->text;
}

TEST(Report, KernelsThatStopThemselves) {
  expect_report({.body = "setp.eq.u32 %p0, %r0, 9;\n@%p0 trap;\n"}, FaultKind::trap,
                {"trap: the kernel stopped itself", "thread (9,0,0)", "@%p0 trap;"});
  expect_report({.body = R"(
    TABLE: .branchtargets A, B;
    brx.idx %r0, TABLE;
    A: B:
  )"},
                FaultKind::bad_pc, {"brx.idx: index 2 of a table of 2 targets", "lane 2"});
  expect_report({.body = "mov.u64 %d2, 99;\nPROTO: .callprototype _ ();\ncall %d2, (), PROTO;\n"},
                FaultKind::bad_pc, {"which is no function"});
  expect_report({.body = "shfl.sync.idx.b32 %r2, %r0, 0, 31, 0xfffffffe;\n"},
                FaultKind::illegal_instruction, {"lane 0", "does not name it"});
}

// Also without a single byte of local memory in the function.
TEST(Report, EndlessRecursion) {
  expect_report({.body = "call again;\n", .before = ".func again() {\ncall again;\nret;\n}\n"},
                FaultKind::stack_overflow,
                {"stack overflow: calls ", "bytes of local memory", "call again;"});
}

const std::string bulk_load = R"(
    setp.eq.u32 %p0, %r0, 3;
    @%p0 mbarrier.init.shared.b64 [%r1], 1;
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 128;
    add.u32 %r3, %r1, 128;
    @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%d0+64], 128, [%r1];
    mov.u32 %r4, 1;
    bar.sync 0;
)";

// Whenever the copy is made, the report names the instruction and the thread that asked for it.
TEST(Report, AsynchronousCopies) {
  const Kernel load{.body = bulk_load, .block = 4, .in = Words(16 + 31)};
  const Kernel store{.body = R"(
    setp.eq.u32 %p0, %r0, 2;
    @%p0 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 128;
    cp.async.bulk.commit_group;
    bar.sync 0;
  )",
                     .out_words = 31};
  const Kernel plain{.body = own_address +
                             "mad.lo.u32 %r2, %r0, 4, %r1;\n"
                             "cp.async.ca.shared.global [%r2], [%d2], 4;\n"
                             "cp.async.wait_all;\n",
                     .in = Words(20)};
  for (const auto& settings : all_settings()) {
    expect_report(load, FaultKind::out_of_bounds,
                  {"read of 128 bytes", "the last 4 of 128 bytes are past the end of allocation #1",
                   "thread (3,0,0)", "issued at PTX line", "cp.async.bulk.shared::cluster"},
                  settings);
    expect_report(store, FaultKind::out_of_bounds,
                  {"write of 128 bytes", "allocation #2", "thread (2,0,0)", "issued at PTX line",
                   "cp.async.bulk.global"},
                  settings);
    expect_report(plain, FaultKind::out_of_bounds,
                  {"read of 4 bytes", "0 bytes past the end of allocation #1", "thread (20,0,0)",
                   "cp.async.ca.shared.global"},
                  settings);
  }
}

// The first fault stops the grid, whichever host thread meets it.
TEST(Report, OneOfManyBlocks) {
  for (const auto& settings : all_settings())
    expect_report({.body = R"(
      mov.u32 %r2, %ctaid.x;
      setp.eq.u32 %p0, %r2, 77;
      @%p0 trap;
    )",
                   .grid = 200},
                  FaultKind::trap, {"block (77,0,0)"}, settings);
}

}  // namespace
