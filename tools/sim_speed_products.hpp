// The products of a 1024 x 1024 x 1024 GEMM on pairs of blocks of a B200, for sim_speed: what
// tcgen05.mma takes without the loads around it.
#pragma once

#include <string>

#include "base/refuse.hpp"

namespace aisp::sim_speed {

inline constexpr std::uint32_t product_blocks = 16, product_threads = 128;

struct Products {
  const char* name;
  const char* instruction;  // behind tcgen05.mma.cta_group::2
  std::uint32_t word;       // scales, and operands but for the bits of `random`
  std::uint32_t random;     // the bits of a word of operands that differ from word to word
  std::uint32_t types;      // of the instruction descriptor, with its M of 256
  int k;
  bool scaled;
};
// bf16 with a magnitude from 1 to 2; pairs of e2m1, and scales of ue4m3 that are 5.5.
inline constexpr Products products[] = {
    {"tcgen05.mma bf16, 1024^3", "kind::f16", 0x3f803f80, 0x807f807f,
     1u << 4 | 1u << 7 | 1u << 10 | 16u << 24, 16, false},
    {"tcgen05.mma NVFP4, 1024^3", "kind::mxf4nvf4.block_scale.block16", 0x43434343, 0xffffffff,
     1u << 7 | 1u << 10 | 2u << 27, 64, true},
};

inline std::string product_kernel(const Products& what) {
  using base::say;
  constexpr int m = 256, n = 256;
  const int rounds =
      1024 / m * (1024 / n) * (1024 / what.k) / (static_cast<int>(product_blocks) / 2);
  const std::string scales = what.scaled ? "[%s], [%s], " : "";
  return say(R"(.version 9.0
.target sm_100a
.address_size 64
.visible .entry run(.param .u64 out)
{
  .reg .b16 %mask;
  .reg .b32 %thread, %rank, %base, %s, %i, %at, %w<16>;
  .reg .b64 %a, %b;
  .reg .pred %p, %other, %yes;
  .shared .align 1024 .b8 tiles[8192];
  .shared .align 8 .b64 bar;
  .shared .align 4 .b32 taddr;
  mov.u32 %thread, %tid.x;
  mov.u32 %rank, %cluster_ctarank;
  mov.u16 %mask, 3;
  setp.ge.u32 %other, %thread, 32;
  setp.eq.u32 %p, %thread, 0;
  @%p mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mov.u32 %i, %thread;
fill:
  mov.u32 %at, tiles;
  mad.lo.u32 %at, %i, 4, %at;
  mov.u32 %w0, )",
             what.word, R"(;
  mul.lo.u32 %w1, %i, 0x9e3779b1;
  shf.l.wrap.b32 %w1, %w1, %w1, 13;
  and.b32 %w1, %w1, )",
             what.random, R"(;
  xor.b32 %w1, %w1, %w0;
  st.shared.u32 [%at], %w1;
  add.u32 %i, %i, 128;
  setp.lt.u32 %p, %i, 2048;
  @%p bra fill;
  fence.proxy.async;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @%other bra allocated;
  tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [taddr], 512;
allocated:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ld.shared.u32 %base, [taddr];
  add.u32 %s, %base, 256;
  tcgen05.st.sync.aligned.32x32b.x8.b32 [%s], {%w0, %w0, %w0, %w0, %w0, %w0, %w0, %w0};
  tcgen05.wait::st.sync.aligned;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  or.b32 %i, %thread, %rank;
  setp.ne.u32 %p, %i, 0;
  @%p bra wait;
  mov.u32 %at, tiles;
  shr.u32 %at, %at, 4;
  cvt.u64.u32 %a, %at;
  or.b64 %a, %a, 0x0000400800800000;
  add.u64 %b, %a, 256;
  mov.u32 %i, )",
             rounds, R"(;
loop:
  setp.ne.u32 %yes, %i, )",
             rounds, R"(;
  tcgen05.mma.cta_group::2.)",
             what.instruction, " [%base], %a, %b, ", what.types | n / 8 << 17, ", ", scales,
             R"(%yes;
  add.s32 %i, %i, -1;
  setp.ne.s32 %p, %i, 0;
  @%p bra loop;
  tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], %mask;
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
  @!%p bra wait;
  bar.sync 0;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  @%other bra freed;
  tcgen05.dealloc.cta_group::2.sync.aligned.b32 %base, 512;
freed:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ret;
}
)");
}

}  // namespace aisp::sim_speed
