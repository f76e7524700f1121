// alloca, stacksave, stackrestore: memory on a thread's stack. It grows down from the end of the
// lane's local memory, towards the frames of calls, and goes when its function returns.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {
namespace {

std::uint32_t end_of_frames(const Warp& warp) {
  const LaneGroup& self = *warp.lane_group;
  const Routine& routine = self.calls.empty() ? *warp.block->grid->kernel
                                              : warp.program->routines[self.calls.back().routine];
  return self.frame_base + routine.frame_bytes;
}

template <class T>
Flow allocate(Warp& warp, const Op& op, Mask mask) {
  const T* bytes = warp.read<T>(op.a);
  T* to = warp.write<T>(op.dst);
  if (warp.stack_used.empty()) warp.stack_used.resize(lanes);
  const std::uint32_t frames = end_of_frames(warp);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint32_t& used = warp.stack_used[static_cast<std::size_t>(lane)];
    const std::uint64_t room = warp.local_bytes - used;
    const std::uint64_t wanted = bytes[lane];
    const std::uint64_t at = wanted > room ? 0 : (room - wanted) & ~(op.imm - 1);
    if (wanted > room || at < frames)
      throw Fault{FaultKind::stack_overflow,
                  base::say("stack overflow: alloca of ", wanted, " bytes, ",
                            room < frames ? 0 : room - frames, " of ", warp.local_bytes,
                            " bytes of local memory are left; cudaDeviceSetLimit with "
                            "cudaLimitStackSize gives threads more"),
                  0, lane};
    used = warp.local_bytes - static_cast<std::uint32_t>(at);
    to[lane] = static_cast<T>(at);
  }
  return Flow::next;
}

template <class T>
Flow save(Warp& warp, const Op& op, Mask mask) {
  T* to = warp.write<T>(op.dst);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint32_t used =
        warp.stack_used.empty() ? 0 : warp.stack_used[static_cast<std::size_t>(lane)];
    to[lane] = warp.local_bytes - used;
  }
  return Flow::next;
}

template <class T>
Flow restore(Warp& warp, const Op& op, Mask mask) {
  const T* from = warp.read<T>(op.a);
  if (warp.stack_used.empty()) return Flow::next;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint32_t& used = warp.stack_used[static_cast<std::size_t>(lane)];
    if (from[lane] > warp.local_bytes || warp.local_bytes - from[lane] > used)
      throw Fault{FaultKind::stack_overflow,
                  base::say("stackrestore of ", from[lane], ", which no stacksave has given"), 0,
                  lane};
    used = warp.local_bytes - static_cast<std::uint32_t>(from[lane]);
  }
  return Flow::next;
}

void bind_alloca(Binding& b) {
  const Type type = b.type_of({Type::u32, Type::u64});
  b.expect_operands(2, 3);
  b.op.dst = b.write(0, type);
  b.op.a = b.read(1, type);
  constexpr std::uint64_t usual = 8, most = 1u << 23;
  b.op.imm = usual;
  if (b.instruction().operands.size() == 3) {
    b.op.imm = static_cast<std::uint64_t>(b.constant(b.operand(2)));
    if (!std::has_single_bit(b.op.imm) || b.op.imm > most)
      b.refuse("the alignment is a power of two up to 2^23");
  }
  b.op.run = type == Type::u64 ? allocate<std::uint64_t> : allocate<std::uint32_t>;
}

void bind_save(Binding& b) {
  const Type type = b.type_of({Type::u32, Type::u64});
  b.expect_operands(1, 1);
  b.op.dst = b.write(0, type);
  b.op.run = type == Type::u64 ? save<std::uint64_t> : save<std::uint32_t>;
}

void bind_restore(Binding& b) {
  const Type type = b.type_of({Type::u32, Type::u64});
  b.expect_operands(1, 1);
  b.op.a = b.read(0, type);
  b.op.run = type == Type::u64 ? restore<std::uint64_t> : restore<std::uint32_t>;
}

constexpr OpcodeRow stack_table[] = {
    {"alloca", OpClass::other, bind_alloca, ".{u32,u64}, with or without an alignment"},
    {"stacksave", OpClass::other, bind_save, ".{u32,u64}"},
    {"stackrestore", OpClass::other, bind_restore, ".{u32,u64}"},
};

}  // namespace

std::span<const OpcodeRow> stack_rows() { return stack_table; }

}  // namespace aisp::sim
