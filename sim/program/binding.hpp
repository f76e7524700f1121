// What an opcode's bind function sees of one instruction: the reader of its modifiers, its operands
// checked against types, and the Op to fill. Whatever it does not consume is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/program/modifiers.hpp"
#include "sim/program/op.hpp"
#include "sim/program/type.hpp"
#include "sim/ptx/module.hpp"

namespace aisp::sim {

// An address operand: lane addresses are value(base) + offset. `base` is a register (32 or 64 bits
// wide), the slot own_shared_base or dynamic_shared_base for a .shared variable, a constant for
// .global and .const variables, functions and absolute addresses.
// base == no_ref: with `in_frame` (a .local variable, a .param variable of a call sequence, a
// function's own parameter or result) the byte lies in the lane's local memory at
// lane_group->frame_base + offset; without it (a kernel's parameter) in the constant bank at
// grid.params + offset, and that sum is its generic address.
struct BoundAddress {
  Ref base = no_ref;
  bool wide = false;                    // base lanes are 64 bits
  bool in_frame = false;                // frame_base + offset of local memory
  std::int64_t offset = 0;              // to be added
  ptx::Space space = ptx::Space::none;  // of the variable named; none for a register or function
};

class FunctionContext;  // sim/program's own

// The Refs that a Binding hands out for registers are placeholders until the slots are allocated:
// they may be kept in op.dst, dst2, a, b, c, d, guard and through list() only, never in op.imm.
// A result shares its slot with an operand only where the instruction names one register for both.
// Operands are known by their address: pass those of the instruction, not copies.
class Binding : public ModifierReader {
 public:
  Binding(FunctionContext& function, const ptx::Instruction& instruction, int name_modifiers,
          Op& op);

  Op& op;

  // Operands. Reading and writing tells liveness; each operand is to be bound exactly once.
  int operands() const { return static_cast<int>(instruction_.operands.size()); }
  const ptx::Operand& operand(int index) const;
  void expect_operands(int least, int most) const;
  // A register or constant of exactly the type's width; integers of fitting width in the low bits.
  Ref read(int index, Type type);
  Ref read(const ptx::Operand& operand, Type type);
  // ld, st, cvt: the register may be wider than the type. `wide` says its lanes are 64 bits.
  Ref read_relaxed(const ptx::Operand& operand, Type type, bool& wide);
  Ref write(int index, Type type);  // no_ref for the sink
  Ref write(const ptx::Operand& operand, Type type);
  Ref write_relaxed(const ptx::Operand& operand, Type type, bool& wide);
  Ref read_write(const ptx::Operand& operand, Type type);          // accumulators
  Ref read_predicate(const ptx::Operand& operand, bool& negated);  // constants 0 and 1 too
  Ref write_predicate(const ptx::Operand& operand);                // no_ref for the sink
  int register_bits(const ptx::Operand& operand) const;  // 16, 32, 64, 128; 0: not a register
  bool is_constant(const ptx::Operand& operand) const;
  std::int64_t constant(const ptx::Operand& operand) const;  // refuses when it is not one
  BoundAddress address(const ptx::Operand& operand);
  BoundAddress address(int index) { return address(operand(index)); }
  // mov, cvta, mapa: the address that the name of a variable or function stands for, with base
  // lanes as wide as `type`. A function's address is Program::function_address(routine).
  bool is_variable(const ptx::Operand& operand) const;
  BoundAddress address_of(const ptx::Operand& operand, Type type);
  // %clock, %clock64, %clock_hi, %globaltimer*, %envreg*, %pm*: no slot holds them, `mov` reads
  // them by a handler of their own. The second one counts as binding the operand.
  bool is_volatile_special(const ptx::Operand& operand) const;
  std::string_view volatile_special(const ptx::Operand& operand);
  bool is_register(const ptx::Operand& operand) const;    // declared with .reg
  Type register_type(const ptx::Operand& operand) const;  // as declared; none: not a register
  // Elements of {a, b}, of a vector register or of %tid and its like; one element for the rest.
  const std::vector<ptx::Operand>& parts(const ptx::Operand& operand);
  void ignore(const ptx::Operand& operand);  // without meaning here, counts as bound

  // Appends to the program's list of Refs; the first call sets op.list. Predicates and registers.
  void list(Ref ref);
  Ref constant_ref(std::uint64_t bits, Type type);  // a constant of our own
  Ref constant_mask(Mask mask);
  Ref read_condition_code();  // the carry of add.cc / addc: a predicate
  Ref write_condition_code();
  Ref special(int special, bool wide);  // slot of a Special

  // The instruction reads or writes its registers later than it is issued (wgmma): they share
  // their slots with no other register.
  void keep_registers();
  // What the list holds from entry `first` on is written later than the instruction is issued
  // (tcgen05.ld): these registers share their slots with no other, and who names one waits for it.
  void defer_results(int first);

  // Control flow (the decoder links labels and joins afterwards).
  void branch_to(std::string_view label);
  void branch_table(std::string_view list_name);  // brx.idx: op.target, op.imm = count
  void call();  // resolves callee, arguments, results: op.target = CallSite

  bool all_bound() const;  // the decoder's check after bind

 private:
  void mark(const ptx::Operand& operand) const { bound_.push_back(&operand); }
  bool bound(const ptx::Operand& operand) const;
  Ref literal(const ptx::Operand& operand, Type type);
  Ref read_name(const ptx::Operand& operand, Type type, bool relaxed, bool& wide);
  Ref write_name(const ptx::Operand& operand, Type type, bool relaxed, bool& wide);
  bool discards(const ptx::Operand& operand) const;
  BoundAddress variable(std::string_view name, std::int64_t offset, bool wide);
  void check_width(std::string_view name, Type declared, Type type, bool relaxed) const;

  FunctionContext& function_;
  mutable std::vector<const ptx::Operand*> bound_;
};

}  // namespace aisp::sim
