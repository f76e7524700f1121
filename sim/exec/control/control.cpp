// Branches, calls and the ends of threads.
#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/control/builtin.hpp"
#include "sim/exec/opcodes.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint64_t shortest_sleep = 256;  // warp instructions of the cluster

Flow branch(Warp& warp, const Op& op, Mask mask) {
  diverge(warp, mask, op.target, op.join);
  return Flow::moved;
}

// The lanes whose value is that of the first one: they go together.
template <class T>
Mask alike(const T* values, Mask mask) {
  const T first = values[std::countr_zero(mask)];
  Mask same = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    same |= values[lane] == first ? Mask{1} << lane : 0;
  }
  return same;
}

// One destination of the table after the other.
Flow branch_indexed(Warp& warp, const Op& op, Mask mask) {
  const std::uint32_t* index = warp.read<std::uint32_t>(op.a);
  const int first = std::countr_zero(mask);
  const std::uint32_t chosen = index[first];
  if (chosen >= op.imm)
    throw Fault{FaultKind::bad_pc,
                base::say("brx.idx: index ", chosen, " of a table of ", op.imm, " targets"), 0,
                first};
  const Mask same = alike(index, mask);
  const std::uint32_t pc = warp.lane_group->pc;
  diverge(warp, same, warp.program->jump_tables[op.target + chosen], op.join);
  // The rest comes back to this instruction; lanes whose predicate is false go on.
  if (same != mask) split_off(warp, mask & ~same).pc = pc;
  return Flow::moved;
}

Flow leave_kernel(Warp& warp, const Op&, Mask mask) {
  const bool some_stay = mask != warp.lane_group->mask;
  leave(warp, mask);
  if (some_stay) ++warp.lane_group->pc;
  return Flow::moved;
}

void copy_frames(Warp& warp, Mask mask, std::uint32_t from_base, std::uint32_t to_base,
                 const std::vector<CallSite::Copy>& copies) {
  for (const auto& copy : copies)
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::byte* from = resolve(warp, ptx::Space::local, from_base + copy.from, copy.bytes, 1,
                                      Access::read, lane);
      std::byte* to =
          resolve(warp, ptx::Space::local, to_base + copy.to, copy.bytes, 1, Access::write, lane);
      std::memcpy(to, from, copy.bytes);
    }
}

// What is still to be written into registers must not come after these have changed owners.
void settle_registers(const Warp& warp) {
  if (warp.tensor_loads) complete_all(*warp.block->cluster, *warp.tensor_loads, all_lanes);
}

// Registers of a function that is called while it is active: each function has one set of slots.
std::vector<std::byte> save_registers(const Warp& warp, const Routine& routine) {
  settle_registers(warp);
  std::vector<std::byte> saved;
  for (const RegisterClass& part : routine.registers)
    saved.insert(saved.end(), warp.bases[0] + part.first, warp.bases[0] + part.first + part.bytes);
  return saved;
}

void restore_registers(Warp& warp, const Routine& routine, const std::vector<std::byte>& saved,
                       Mask mask) {
  settle_registers(warp);
  const std::byte* from = saved.data();
  for (const RegisterClass& part : routine.registers) {
    blend(warp.bases[0] + part.first, from, part, mask);
    from += part.bytes;
  }
}

// The most that alloca has taken from one of the lanes.
std::uint32_t stack_of(const Warp& warp, Mask mask) {
  std::uint32_t most = 0;
  if (warp.stack_used.empty()) return most;
  for (Mask left = mask; left != 0; left &= left - 1)
    most = std::max(most, warp.stack_used[static_cast<std::size_t>(std::countr_zero(left))]);
  return most;
}

// What a function took with alloca goes when it returns.
void restore_stack(Warp& warp, const Frame& frame, Mask mask) {
  if (warp.stack_used.empty()) return;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    warp.stack_used[lane] = frame.stack_used.empty() ? 0 : frame.stack_used[lane];
  }
}

void enter_routine(Warp& warp, std::uint32_t call_site, std::uint32_t routine) {
  LaneGroup& self = *warp.lane_group;
  const Program& program = *warp.program;
  const Routine& caller =
      self.calls.empty() ? *warp.block->grid->kernel : program.routines[self.calls.back().routine];
  const std::uint32_t base = frame_after(self.frame_base, caller.frame_bytes);
  const Routine& callee = program.routines[routine];
  const std::uint32_t stack = stack_of(warp, self.mask);
  if (base + callee.frame_bytes + stack > warp.local_bytes)
    throw Fault{FaultKind::stack_overflow,
                base::say("stack overflow: calls ", self.calls.size() + 1, " deep need ",
                          base + callee.frame_bytes + stack,
                          " bytes of local memory, a thread has ", warp.local_bytes,
                          "; cudaDeviceSetLimit with cudaLimitStackSize gives threads more"),
                0, std::countr_zero(self.mask)};
  Frame frame{.return_pc = self.pc + 1,
              .call_site = call_site,
              .routine = routine,
              .frame_base = self.frame_base,
              .saved = {},
              .stack_used = warp.stack_used};
  const bool active = std::any_of(self.calls.begin(), self.calls.end(),
                                  [&](const Frame& outer) { return outer.routine == routine; });
  if (active) frame.saved = save_registers(warp, callee);
  copy_frames(warp, self.mask, self.frame_base, base, program.calls[call_site].in);
  self.calls.push_back(std::move(frame));
  self.frame_base = base;
  self.pc = callee.entry;
}

Flow call(Warp& warp, const Op& op, Mask mask) {
  const CallSite& site = warp.program->calls[op.target];
  if (!site.builtin.empty()) {
    run_builtin(warp, mask, site);
    return Flow::next;
  }
  std::uint32_t routine = site.routine;
  Mask together = mask;
  if (routine == CallSite::indirect) {
    const std::uint64_t* address = warp.read<std::uint64_t>(op.a);
    together = alike(address, mask);
    const int first = std::countr_zero(mask);
    const std::int64_t found = warp.program->routine_at(address[first]);
    if (found < 0)
      throw Fault{FaultKind::bad_pc,
                  base::say("call of ", address[first], ", which is no function"), address[first],
                  first};
    routine = static_cast<std::uint32_t>(found);
  }
  // Lanes that call something else, or nothing, go their own way and meet behind the call.
  LaneGroup& self = *warp.lane_group;
  if (together != self.mask) {
    const std::uint32_t pc = self.pc;
    const Mask others = mask & ~together, off = self.mask & ~mask;
    push_join(warp, pc + 1, static_cast<std::uint32_t>(self.calls.size()));
    if (others != 0) split_off(warp, others).pc = pc;
    if (off != 0) split_off(warp, off).pc = pc + 1;
  }
  enter_routine(warp, op.target, routine);
  return Flow::moved;
}

Flow return_from(Warp& warp, const Op& op, Mask mask) {
  if (warp.lane_group->calls.empty()) return leave_kernel(warp, op, mask);
  LaneGroup& self = *warp.lane_group;
  // Lanes that return early and those that return later meet behind the call.
  if (mask != self.mask)
    push_join(warp, self.calls.back().return_pc, static_cast<std::uint32_t>(self.calls.size() - 1));
  LaneGroup& leaving = split_off(warp, mask);
  if (&leaving != &self) ++self.pc;
  const Frame frame = std::move(leaving.calls.back());
  leaving.calls.pop_back();
  copy_frames(warp, mask, leaving.frame_base, frame.frame_base,
              warp.program->calls[frame.call_site].out);
  if (!frame.saved.empty())
    restore_registers(warp, warp.program->routines[frame.routine], frame.saved, mask);
  restore_stack(warp, frame, mask);
  leaving.frame_base = frame.frame_base;
  leaving.pc = frame.return_pc;
  return Flow::moved;
}

Flow trap(Warp&, const Op&, Mask mask) {
  throw Fault{FaultKind::trap, "trap: the kernel stopped itself", 0, std::countr_zero(mask)};
}

// A pause gives others their turn; its length in time means nothing here.
Flow sleep(Warp& warp, const Op&, Mask) {
  Wait& wait = warp.lane_group->wait;
  if (wait.kind == Wait::Kind::sleep) {
    wait = {};
    return Flow::next;
  }
  wait = {.kind = Wait::Kind::sleep, .value = warp.block->cluster->instructions + shortest_sleep};
  return Flow::wait;
}

Flow nothing(Warp&, const Op&, Mask) { return Flow::next; }

void bind_bra(Binding& b) {
  b.accept("uni");
  b.expect_operands(1, 1);
  b.branch_to(b.operand(0).name);
  b.op.run = branch;
}

void bind_brx(Binding& b) {
  b.accept("uni");
  b.expect_operands(2, 2);
  b.op.a = b.read(0, Type::u32);
  b.branch_table(b.operand(1).name);
  b.op.run = branch_indexed;
}

void bind_call(Binding& b) {
  b.accept("uni");
  b.call();
  b.op.run = call;
}

void bind_ret(Binding& b) {
  b.accept("uni");
  b.expect_operands(0, 0);
  b.op.run = return_from;
}

void bind_exit(Binding& b) {
  b.expect_operands(0, 0);
  b.op.run = leave_kernel;
}

void bind_trap(Binding& b) {
  b.expect_operands(0, 0);
  b.op.run = trap;
}

void bind_nanosleep(Binding& b) {
  b.type_of({Type::u32});
  b.expect_operands(1, 1);
  b.op.a = b.read(0, Type::u32);
  b.op.run = sleep;
}

void bind_pmevent(Binding& b) {
  const std::int64_t most = b.accept("mask") ? 0xffff : 15;
  b.expect_operands(1, 1);
  const std::int64_t event = b.constant(b.operand(0));
  if (event < 0 || event > most) b.refuse("no such performance event");
  b.op.run = nothing;
}

constexpr OpcodeRow rows[] = {
    {"bra", OpClass::branch, bind_bra, "with and without .uni"},
    {"brx.idx", OpClass::branch, bind_brx, "with and without .uni"},
    {"call", OpClass::branch, bind_call,
     "direct, through .callprototype or .calltargets, recursive; vprintf, __assertfail, malloc, "
     "free, cudaGraphSetConditional"},
    {"ret", OpClass::branch, bind_ret, "with and without .uni"},
    {"exit", OpClass::branch, bind_exit, ""},
    {"trap", OpClass::branch, bind_trap, "stops the kernel with a report"},
    {"brkpt", OpClass::branch, bind_trap, "as trap: no debugger is attached"},
    {"nanosleep", OpClass::other, bind_nanosleep, ".u32; gives other warps and blocks their turn"},
    {"pmevent", OpClass::other, bind_pmevent, "no effect"},
};

}  // namespace

std::span<const OpcodeRow> control_rows() { return rows; }

}  // namespace aisp::sim
