// A kernel around one or a few tcgen05 instructions: shared and tensor memory of a block, or of
// both blocks of a pair, are filled from images, one thread issues, and tensor memory is put out.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/support/run_orders.hpp"

namespace aisp::tensor_rig {

inline constexpr int lanes = 128, columns = 512;

using Bytes = std::vector<std::uint8_t>;
using Cells = std::vector<std::uint32_t>;  // lane-major

inline std::uint32_t& cell(Cells& cells, int lane, int column) {
  return cells[static_cast<std::size_t>(lane * columns + column)];
}

struct Rig {
  bool pair = false;
  // Instructions of one thread of the first block. %tiles: where the image of shared memory begins,
  // a multiple of 1024; %q<9> 64-bit, %m<9> 32-bit registers, %yes and %no predicates.
  std::string body;
  Bytes shared[2];
  Cells tensor[2] = {Cells(lanes * columns), Cells(lanes* columns)};
  int shared_bytes = 65536;
};

// Loads or stores all columns of the lanes of the four warps, 32 at a time.
inline std::string all_columns(bool store) {
  std::string text;
  for (int first = 0; first < columns; first += 32) {
    std::string registers;
    for (int i = 0; i < 32; ++i) registers += (i == 0 ? "%c" : ", %c") + std::to_string(i);
    const std::string place = "[%base+" + std::to_string(first) + "]";
    const auto global = [&](int i) { return "[%image+" + std::to_string(4 * (first + i)) + "]"; };
    if (store) {
      for (int i = 0; i < 32; ++i)
        text += "ld.global.u32 %c" + std::to_string(i) + ", " + global(i) + ";\n";
      text += "tcgen05.st.sync.aligned.32x32b.x32.b32 " + place + ", {" + registers + "};\n";
    } else {
      text += "tcgen05.ld.sync.aligned.32x32b.x32.b32 {" + registers + "}, " + place + ";\n";
      text += "tcgen05.wait::ld.sync.aligned;\n";
      for (int i = 0; i < 32; ++i)
        text += "st.global.u32 " + global(i) + ", %c" + std::to_string(i) + ";\n";
    }
  }
  return text;
}

inline std::string kernel_body(const Rig& rig) {
  const std::string group = rig.pair ? ".cta_group::2" : ".cta_group::1";
  const std::string all_sync = rig.pair ? "barrier.cluster.arrive.aligned;\n"
                                          "barrier.cluster.wait.aligned;\n"
                                        : "bar.sync 0;\n";
  const std::string image_bytes = std::to_string(lanes * columns * 4);
  return R"(
.reg .b32 %c<32>, %m<9>, %base, %tiles, %rank, %mbar, %i, %s, %v;
.reg .b64 %q<9>, %image, %from;
.reg .pred %yes, %no, %first, %more;
mov.u32 %rank, %cluster_ctarank;
mov.u32 %tiles, tiles;
mov.u32 %mbar, mbar;
setp.eq.u32 %yes, 0, 0;
setp.ne.u32 %no, 0, 0;
setp.eq.u32 %first, %r0, 0;
@%first mbarrier.init.shared::cta.b64 [%mbar], 1;
fence.mbarrier_init.release.cluster;
mul.wide.u32 %from, %rank, )" +
         std::to_string(rig.shared_bytes) + R"(;
add.u64 %from, %d0, %from;
mov.u32 %i, %r0;
fill:
  mad.wide.u32 %q0, %i, 4, %from;
  ld.global.u32 %v, [%q0];
  mad.lo.u32 %s, %i, 4, %tiles;
  st.shared.u32 [%s], %v;
  add.u32 %i, %i, 128;
  setp.lt.u32 %more, %i, )" +
         std::to_string(rig.shared_bytes / 4) + R"(;
@%more bra fill;
fence.proxy.async.shared::cta;
)" + all_sync +
         "shr.u32 %i, %r0, 5;\nsetp.ne.u32 %more, %i, 0;\n@%more bra allocated;\n" +
         "tcgen05.alloc" + group + ".sync.aligned.shared::cta.b32 [taddr], 512;\n" +
         "allocated:\n" + all_sync +
         R"(
ld.shared.u32 %base, [taddr];
mad.wide.u32 %image, %rank, )" +
         image_bytes + R"(, %d1;
mul.wide.u32 %q0, %r0, )" +
         std::to_string(columns * 4) + R"(;
add.u64 %image, %image, %q0;
)" + all_columns(true) +
         "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\n" + all_sync +
         R"(
tcgen05.fence::after_thread_sync;
or.b32 %i, %r0, %rank;
setp.ne.u32 %more, %i, 0;
@%more bra wait;
)" + rig.body +
         "tcgen05.commit" + group +
         (rig.pair ? ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%mbar], %h1;\n"
                   : ".mbarrier::arrive::one.shared::cluster.b64 [%mbar];\n") +
         R"(
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %more, [%mbar], 0;
  @!%more bra wait;
bar.warp.sync -1;
tcgen05.fence::after_thread_sync;
)" + all_columns(false) +
         all_sync + "shr.u32 %i, %r0, 5;\nsetp.ne.u32 %more, %i, 0;\n@%more bra freed;\n" +
         "tcgen05.relinquish_alloc_permit" + group + ".sync.aligned;\n" + "tcgen05.dealloc" +
         group + ".sync.aligned.b32 %base, 512;\nfreed:\n" + (rig.pair ? all_sync : "");
}

inline exec_kernel::Kernel kernel_of(const Rig& rig) {
  exec_kernel::Kernel kernel{.body = "mov.u16 %h1, 3;\n" + kernel_body(rig),
                             .before =
                                 ".extern .shared .align 1024 .b8 tiles[];\n"
                                 ".shared .align 8 .b64 mbar;\n"
                                 ".shared .align 4 .b32 taddr;\n",
                             .target = "sm_100a"};
  const int blocks = rig.pair ? 2 : 1;
  kernel.device = "b200";
  kernel.grid = kernel.cluster = static_cast<std::uint32_t>(blocks);
  kernel.block = lanes;
  kernel.dynamic = static_cast<std::uint32_t>(rig.shared_bytes);
  const auto words = static_cast<std::size_t>(rig.shared_bytes / 4);
  kernel.in.assign(words * static_cast<std::size_t>(blocks), 0);
  for (int i = 0; i < blocks; ++i)
    std::memcpy(kernel.in.data() + words * static_cast<std::size_t>(i), rig.shared[i].data(),
                std::min(rig.shared[i].size(), words * 4));
  kernel.out_words = static_cast<std::size_t>(lanes * columns * blocks);
  for (int i = 0; i < blocks; ++i)
    kernel.out.insert(kernel.out.end(), rig.tensor[i].begin(), rig.tensor[i].end());
  return kernel;
}

// Tensor memory afterwards; the same in every order.
inline std::vector<Cells> run(
    const Rig& rig, const std::vector<sim::Settings>& orders = run_orders::all_settings()) {
  const exec_kernel::Kernel kernel = kernel_of(rig);
  std::vector<std::uint32_t> first;
  for (const sim::Settings& settings : orders) {
    const auto result = run_orders::run_well(kernel, settings);
    if (first.empty()) first = result.out;
    EXPECT_EQ(result.out, first);
  }
  std::vector<Cells> cells;
  for (std::size_t at = 0; at < first.size(); at += lanes * columns)
    cells.emplace_back(first.begin() + static_cast<std::ptrdiff_t>(at),
                       first.begin() + static_cast<std::ptrdiff_t>(at + lanes * columns));
  return cells;
}

// What stops it.
inline std::string fault(const Rig& rig) {
  const auto result = exec_kernel::run(kernel_of(rig), {.host_threads = 1});
  return result.refused + result.fault();
}

}  // namespace aisp::tensor_rig
