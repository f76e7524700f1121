// tcgen05 without the products: which register is which cell, copies, allocation and its misuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "tests/sim/support/tensor_rig.hpp"

using namespace aisp;
using testing::HasSubstr;

namespace {

using tensor_rig::cell;
using tensor_rig::Cells;
using tensor_rig::Rig;

// ---- ld and st. The kernel fills tensor memory with its addresses by the plain shape, or stores
// by the shape and puts out everything by the plain one.

struct Shape {
  const char* name;
  int registers;                                           // for .x1
  std::function<std::pair<int, int>(int t, int i)> place;  // lane, column
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"32x32b", 1, [](int t, int i) { return std::pair(t, i); }},
      {"16x64b", 1, [](int t, int i) { return std::pair(t / 4 + t % 2 * 8, 2 * i + t / 2 % 2); }},
      {"16x128b", 2, [](int t, int i) { return std::pair(t / 4 + i % 2 * 8, i / 2 * 4 + t % 4); }},
      {"16x256b", 4,
       [](int t, int i) {
         return std::pair(t / 4 + i / 2 % 2 * 8, i / 4 * 8 + t % 4 * 2 + i % 2);
       }},
      {"16x32bx2", 1, [](int t, int i) { return std::pair(t % 16, i + t / 16 * 20); }},
  };
  return all;
}

struct Transfer {
  int shape, count;
  bool store, packed, upper;  // upper: lane 16
};

std::string list_of(int registers) {
  std::string list;
  for (int i = 0; i < registers; ++i) list += (i == 0 ? "{%t" : ", %t") + std::to_string(i);
  return list + "}";
}

// Four warps; values are 1000 * thread + register, tensor memory before them 7 * lane + column.
exec_kernel::Kernel transfer_kernel(const Transfer& one) {
  const Shape& shape = shapes()[static_cast<std::size_t>(one.shape)];
  const int registers = shape.registers * one.count;
  const bool halves = one.shape == 4;
  const std::string form = "sync.aligned." + std::string(shape.name) + ".x" +
                           std::to_string(one.count) +
                           (!one.packed ? ""
                            : one.store ? ".unpack::16b"
                                        : ".pack::16b") +
                           ".b32 ";
  const std::string place = "[%at+8]", list = list_of(registers);
  std::string body = ".reg .b32 %t<128>, %base, %at, %i;\n.reg .pred %more;\n";
  body +=
      "shr.u32 %i, %r0, 5;\nsetp.ne.u32 %more, %i, 0;\n@%more bra allocated;\n"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 512;\nallocated:\n"
      "bar.sync 0;\nld.shared.u32 %base, [%r1];\n";
  body += "mul.lo.u32 %r2, %r0, 7;\n";
  for (int first = 0; first < 512; first += 128) {
    for (int i = 0; i < 128; ++i)
      body += "add.u32 %t" + std::to_string(i) + ", %r2, " + std::to_string(first + i) + ";\n";
    body += "tcgen05.st.sync.aligned.32x32b.x128.b32 [%base+" + std::to_string(first) + "], " +
            list_of(128) + ";\n";
  }
  body += "tcgen05.wait::st.sync.aligned;\nbar.sync 0;\n";
  body += "add.u32 %at, %base, " + std::to_string(one.upper ? 16 << 16 : 0) + ";\n";
  if (one.store) {
    body += "mul.lo.u32 %r2, %r0, 1000;\n";
    for (int i = 0; i < registers; ++i)
      body += "add.u32 %t" + std::to_string(i) + ", %r2, " + std::to_string(i) + ";\n";
    body += "tcgen05.st." + form + place + (halves ? ", 20, " : ", ") + list +
            ";\n"
            "tcgen05.wait::st.sync.aligned;\n"
            "tcgen05.ld.sync.aligned.32x32b.x128.b32 " +
            list_of(128) + ", [%base];\n";
  } else {
    body += "tcgen05.ld." + form + list + ", " + place + (halves ? ", 20" : "") + ";\n";
  }
  body += "tcgen05.wait::ld.sync.aligned;\nmad.wide.u32 %d5, %r0, 512, %d1;\n";
  for (int i = 0; i < (one.store ? 128 : registers); ++i)
    body += "st.global.u32 [%d5+" + std::to_string(4 * i) + "], %t" + std::to_string(i) + ";\n";
  body +=
      "bar.sync 0;\n@%more bra freed;\n"
      "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 512;\nfreed:\n";
  exec_kernel::Kernel kernel{.body = body, .target = "sm_100a"};
  kernel.block = 128;
  kernel.out_words = 128 * 128;
  kernel.device = "b200";
  return kernel;
}

class TensorTransfer : public testing::TestWithParam<Transfer> {};

TEST_P(TensorTransfer, RegistersAreTheirCells) {
  const Transfer& one = GetParam();
  const Shape& shape = shapes()[static_cast<std::size_t>(one.shape)];
  const auto out = run_orders::in_all_orders(transfer_kernel(one));
  const int width = one.packed ? 2 : 1, registers = shape.registers * one.count;
  auto before = [](int lane, int column) { return static_cast<std::uint32_t>(7 * lane + column); };
  std::vector<std::uint32_t> want(128 * 128);
  for (int thread = 0; thread < 128; ++thread)
    if (one.store)
      for (int column = 0; column < 128; ++column)
        want[static_cast<std::size_t>(thread * 128 + column)] = before(thread, column);
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < registers; ++i) {
      auto [lane, column] = shape.place(thread % 32, i);
      lane += thread / 32 * 32 + (one.upper ? 16 : 0);
      // The distance of the halves counts columns as they are.
      const int halves = one.shape == 4 && thread % 32 >= 16 ? 20 : 0;
      column = 8 + (column - halves) * width + halves;
      if (one.store) {
        const auto value = static_cast<std::uint32_t>(1000 * thread + i);
        if (column < 128)
          want[static_cast<std::size_t>(lane * 128 + column)] = one.packed ? value & 0xffff : value;
        if (one.packed && column + 1 < 128)
          want[static_cast<std::size_t>(lane * 128 + column + 1)] = value >> 16;
      } else {
        want[static_cast<std::size_t>(thread * 128 + i)] =
            one.packed ? (before(lane, column) & 0xffff) | before(lane, column + 1) << 16
                       : before(lane, column);
      }
    }
  EXPECT_EQ(out, want);
}

std::vector<Transfer> transfers() {
  std::vector<Transfer> all;
  for (int shape = 0; shape < 5; ++shape)
    for (const bool store : {false, true})
      for (const bool packed : {false, true})
        for (const int count : {1, 4, 16})
          all.push_back({shape, count, store, packed, shape != 0 && count == 4});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, TensorTransfer, testing::ValuesIn(transfers()),
                         [](const auto& info) {
                           const Transfer& one = info.param;
                           return std::string(one.store ? "st_" : "ld_") +
                                  shapes()[static_cast<std::size_t>(one.shape)].name + "_x" +
                                  std::to_string(one.count) + (one.packed ? "_packed" : "");
                         });

// ---- cp and shift.

Rig copy_rig(const std::string& form, unsigned swizzle, std::mt19937& random) {
  Rig rig;
  rig.shared_bytes = 16384;
  rig.shared[0].resize(16384);
  for (auto& byte : rig.shared[0]) byte = static_cast<std::uint8_t>(random());
  for (auto& word : rig.tensor[0]) word = static_cast<std::uint32_t>(random());
  // Without swizzle: rows of 16 bytes, eight together, the second chunk 4096 further on.
  const std::uint64_t stride = swizzle == 0 ? 128 : swizzle == 2 ? 1024 : 256;
  const std::uint64_t bits = std::uint64_t{4096 / 16} << 16 | stride / 16 << 32 |
                             std::uint64_t{1} << 46 | std::uint64_t{swizzle} << 61;
  rig.body = "shr.u32 %m0, %tiles, 4;\ncvt.u64.u32 %q0, %m0;\nor.b64 %q0, %q0, " +
             std::to_string(bits) + ";\ntcgen05.cp.cta_group::1." + form + " [%base+40], %q0;\n";
  return rig;
}

std::size_t source_byte(unsigned swizzle, int row, int chunk) {
  if (swizzle == 0) return static_cast<std::size_t>(row * 16 + chunk * 4096);
  const int width = swizzle == 2 ? 128 : 32;
  const auto plain = static_cast<std::size_t>(row * width + chunk * 16);
  return plain ^ (plain >> 7 & (swizzle == 2 ? 7u : 1u)) << 4;
}

void expect_copy(const std::string& form, unsigned swizzle, int rows, int chunks,
                 const std::function<std::vector<int>(int)>& lanes_of,
                 const std::function<std::uint8_t(const std::uint8_t*, int)>& byte_of = {}) {
  std::mt19937 random(7);
  const Rig rig = copy_rig(form, swizzle, random);
  Cells want = rig.tensor[0];
  for (int row = 0; row < rows; ++row)
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const std::uint8_t* from = rig.shared[0].data() + source_byte(swizzle, row, chunk);
      std::uint8_t bytes[16];
      for (int i = 0; i < 16; ++i) bytes[i] = byte_of ? byte_of(from, i) : from[i];
      for (const int lane : lanes_of(row))
        std::memcpy(&cell(want, lane, 40 + 4 * chunk), bytes, 16);
    }
  EXPECT_EQ(tensor_rig::run(rig, {{.order = sim::Order::latest, .host_threads = 1}})[0], want)
      << form;
}

TEST(TensorCopy, PutsRowsIntoTheirLanes) {
  const auto same = [](int row) { return std::vector{row}; };
  expect_copy("128x256b", 0, 128, 2, same);
  expect_copy("128x256b", 2, 128, 2, same);
  expect_copy("128x128b", 6, 128, 1, same);
  expect_copy("4x256b", 0, 4, 2, [](int row) { return std::vector{32 * row}; });
  expect_copy("64x128b.warpx2::02_13", 0, 64, 1, [](int row) {
    return std::vector{row, row + 64};
  });
  expect_copy("64x128b.warpx2::01_23", 0, 64, 1, [](int row) {
    const int lane = row % 32 + row / 32 * 64;
    return std::vector{lane, lane + 32};
  });
  expect_copy("32x128b.warpx4", 0, 32, 1, [](int row) {
    return std::vector{row, row + 32, row + 64, row + 96};
  });
}

TEST(TensorCopy, Decompresses) {
  const auto same = [](int row) { return std::vector{row}; };
  expect_copy("128x256b.b8x16.b4x16_p64", 0, 128, 2, same, [](const std::uint8_t* from, int i) {
    return static_cast<std::uint8_t>((i % 2 == 0 ? from[i / 2] & 15 : from[i / 2] >> 4) << 2);
  });
  expect_copy("128x128b.b8x16.b6x16_p32", 0, 128, 1, same, [](const std::uint8_t* from, int i) {
    unsigned value = 0;
    for (int bit = 0; bit < 6; ++bit)
      value |= (from[(6 * i + bit) / 8] >> (6 * i + bit) % 8 & 1u) << bit;
    return static_cast<std::uint8_t>(value);
  });
}

TEST(TensorShift, MovesRowsDownWithinQuarters) {
  Rig rig;
  rig.shared_bytes = 1024;
  for (std::size_t i = 0; i < rig.tensor[0].size(); ++i)
    rig.tensor[0][i] = static_cast<std::uint32_t>(i);
  rig.body = "tcgen05.shift.cta_group::1.down [%base+16];\n";
  Cells want = rig.tensor[0];
  for (int lane = 0; lane < 128; ++lane)
    if (lane % 32 != 31)
      for (int i = 0; i < 8; ++i) cell(want, lane, 16 + i) = cell(rig.tensor[0], lane + 1, 16 + i);
  EXPECT_EQ(tensor_rig::run(rig)[0], want);
}

// ---- Allocation.

exec_kernel::Kernel one_warp(const std::string& body) {
  exec_kernel::Kernel kernel{.body = ".reg .b32 %x<4>;\n" + body, .target = "sm_100a"};
  kernel.device = "b200";
  return kernel;
}
std::string fault_of(const std::string& body) {
  const auto result = exec_kernel::run(one_warp(body), {.host_threads = 1});
  return result.refused + result.fault();
}

const std::string take = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 ";
const std::string give = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 ";

TEST(TensorAllocation, IsFirstFitFromColumnZero) {
  const auto out = run_orders::in_all_orders(one_warp(
      take + "[%r1], 128;\n" + take + "[%r1+4], 64;\n" + take + "[%r1+8], 32;\n" +
      "ld.shared.v2.u32 {%x0, %x1}, [%r1];\nld.shared.u32 %x2, [%r1+8];\n" + give + "%x1, 64;\n" +
      take + "[%r1+12], 32;\n" + take +
      "[%r1+16], 32;\nld.shared.u32 %x3, [%r1+12];\n"
      "ld.shared.u32 %r5, [%r1+16];\n"
      "st.global.u32 [%d1], %x0;\nst.global.u32 [%d1+4], %x1;\nst.global.u32 [%d1+8], %x2;\n"
      "st.global.u32 [%d1+12], %x3;\nst.global.u32 [%d1+16], %r5;\n" +
      give + "%x0, 128;\n" + give + "%x2, 32;\n" + give + "%x3, 32;\n" + give + "%r5, 32;\n"));
  EXPECT_EQ(run_orders::head(out, 5), (run_orders::Words{0, 128, 192, 128, 160}));
}

TEST(TensorAllocation, MisuseIsNamed) {
  EXPECT_THAT(fault_of("mov.u32 %x0, 48;\n" + take + "[%r1], %x0;\n"),
              HasSubstr("tcgen05.alloc of 48 columns: it takes 32, 64, 128, 256 or 512"));
  EXPECT_THAT(fault_of(take + "[%r1], 32;\n"),
              HasSubstr("the block ends and holds columns 0-31 of tensor memory"));
  EXPECT_THAT(fault_of(take + "[%r1], 32;\n" + take + "[%r1], 64;\n"),
              HasSubstr("tcgen05.alloc of 64 columns after one of 32"));
  EXPECT_THAT(fault_of(take + "[%r1], 32;\n" + give + "0, 64;\n"),
              HasSubstr("tcgen05.dealloc of 64 columns at lane 0, column 0: the block has "
                        "allocated 0-31"));
  EXPECT_THAT(fault_of("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + take +
                       "[%r1], 32;\n"),
              HasSubstr("after tcgen05.relinquish_alloc_permit"));
  EXPECT_THAT(fault_of(take + "[%r1], 32;\n"
                              "mov.u32 %x2, 30;\n"
                              "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%x0, %x1}, [%x2+1];\n"),
              HasSubstr("tcgen05.ld of columns 31-32 of tensor memory: the block has allocated "
                        "0-31"));
  EXPECT_THAT(fault_of(take + "[%r1], 512;\n" + take + "[%r1], 32;\n"), HasSubstr("deadlock"));
  EXPECT_THAT(fault_of("setp.lt.u32 %p1, %r0, 16;\n@%p1 " + take + "[%r1], 32;\n"),
              HasSubstr("lanes"));
}

// A device goes on where columns are given back twice, or used afterwards.
TEST(TensorAllocation, ColumnsGivenBackAreLeftAlone) {
  const std::string put = "mad.wide.u32 %d5, %r0, 4, %d1;\nst.global.u32 [%d5], %x1;\n";
  const std::string store =
      "mov.u32 %x0, 0;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%x0], {%r0};\n"
      "tcgen05.wait::st.sync.aligned;\n";
  const std::string load =
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x1}, [%x0];\ntcgen05.wait::ld.sync.aligned;\n";
  const auto lanes_of_warp = run_orders::words(32, [](std::uint32_t i) { return i; });
  EXPECT_EQ(run_orders::head(
                run_orders::in_all_orders(one_warp(take + "[%r1], 64;\n" + give + "0, 64;\n" +
                                                   give + "0, 64;\n" + store + load + put)),
                32),
            lanes_of_warp);
  // The second dealloc of a pair is one of both blocks as well.
  const std::string pair = "tcgen05.dealloc.cta_group::2.sync.aligned.b32 0, 32;\n";
  exec_kernel::Kernel both =
      one_warp("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r1], 32;\n" + pair +
               pair + store + load + put);
  both.grid = both.cluster = 2;
  EXPECT_EQ(run_orders::head(run_orders::in_all_orders(both), 32), lanes_of_warp);
  // Columns that were allocated again are given back as they were allocated.
  EXPECT_THAT(
      fault_of(take + "[%r1], 64;\n" + give + "0, 64;\n" + take + "[%r1], 32;\n" + give +
               "0, 64;\n"),
      HasSubstr("tcgen05.dealloc of 64 columns at lane 0, column 0: the block has allocated "
                "0-31"));
  EXPECT_THAT(fault_of(take + "[%r1], 32;\n" + give + "0, 32;\n" + give + "32, 32;\n"),
              HasSubstr("tcgen05.dealloc of 32 columns at lane 0, column 32"))
      << "never allocated";
  EXPECT_THAT(fault_of(take + "[%r1], 32;\n" + give + "0, 32;\nmov.u32 %x0, 32;\n" + load),
              HasSubstr("tcgen05.ld of columns 32-32 of tensor memory"))
      << "never allocated";
}

// An access may span allocations that are next to each other.
TEST(TensorAllocation, NeighboursAreOnePlace) {
  EXPECT_EQ(fault_of(take + "[%r1], 32;\n" + take +
                     "[%r1], 32;\nmov.u32 %x2, 31;\n"
                     "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%x0, %x1}, [%x2];\n"
                     "tcgen05.wait::ld.sync.aligned;\n" +
                     give + "0, 32;\n" + give + "32, 32;\n"),
            "");
}

// Without .shared::cluster the address is generic; a device looks at its low 32 bits.
TEST(TensorCommit, TakesAnAddressOfSharedMemoryForAGenericOne) {
  const auto commit = [](const std::string& address) {
    return one_warp(
        "setp.ne.u32 %p1, %r0, 0;\n@%p1 ret;\nmbarrier.init.shared::cta.b64 [%r1], 1;\n" + address +
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%d5];\nagain:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;\n@!%p1 bra again;\n"
        "st.global.u32 [%d1], 7;\n");
  };
  for (const std::string address : {"cvt.u64.u32 %d5, %r1;\n", "cvta.shared.u64 %d5, %d5;\n"}) {
    const std::string whole = "cvt.u64.u32 %d5, %r1;\n" + address;
    EXPECT_EQ(run_orders::in_all_orders(commit(whole))[0], 7u) << address;
  }
  const auto past = exec_kernel::run(commit("mov.u64 %d5, 0x7fffff8;\n"), {.host_threads = 1});
  EXPECT_NE(past.fault(), "") << "beyond shared memory";
}

// Six blocks on one multiprocessor want half of its tensor memory each: two at a time have it.
TEST(TensorAllocation, BlocksOfAMultiprocessorWaitForEachOther) {
  exec_kernel::Kernel kernel = one_warp(
      take +
      "[%r1], 256;\nld.shared.u32 %x0, [%r1];\nmov.u32 %x1, %ctaid.x;\n"
      "mov.u32 %x2, %laneid;\nmad.lo.u32 %x2, %x1, 1000, %x2;\n"
      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%x0], {%x2};\ntcgen05.wait::st.sync.aligned;\n"
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x3}, [%x0];\ntcgen05.wait::ld.sync.aligned;\n"
      "mad.lo.u32 %x1, %x1, 32, %r0;\nmad.wide.u32 %d5, %x1, 4, %d1;\nst.global.u32 [%d5], %x3;\n" +
      give + "%x0, 256;\n");
  kernel.device = "b200,sms=1";
  kernel.grid = 6;
  kernel.out_words = 6 * 32;
  EXPECT_EQ(run_orders::in_all_orders(kernel),
            run_orders::words(6 * 32, [](std::uint32_t i) { return i / 32 * 1000 + i % 32; }));
}

// Three clusters of two on two multiprocessors: the same columns in both, whoever comes first.
TEST(TensorAllocation, PairsGetTheSameColumns) {
  exec_kernel::Kernel kernel = one_warp(
      "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r1], 512;\n"
      "ld.shared.u32 %x0, [%r1];\nmov.u32 %x1, %ctaid.x;\nmad.wide.u32 %d5, %x1, 4, %d1;\n"
      "add.u32 %x2, %x0, 1;\nst.global.u32 [%d5], %x2;\n"
      "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %x0, 512;\n");
  kernel.device = "b200,sms=2";
  kernel.grid = 6;
  kernel.cluster = 2;
  EXPECT_EQ(run_orders::head(run_orders::in_all_orders(kernel), 6),
            run_orders::words(6, [](std::uint32_t) { return 1; }));
}

}  // namespace
