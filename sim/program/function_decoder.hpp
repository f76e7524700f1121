// Decodes one function or kernel: walks its statements, binds each instruction, then links labels,
// joins and register slots. Registers are numbers until the end; a Ref that stands for one carries
// virtual_bit.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sim/program/binding.hpp"
#include "sim/program/flow.hpp"
#include "sim/program/function_context.hpp"
#include "sim/program/liveness.hpp"
#include "sim/program/module_decoder.hpp"
#include "sim/program/scope.hpp"

namespace aisp::sim {

inline constexpr Ref virtual_bit = 0x40000000u;
inline constexpr bool is_virtual(Ref ref) { return ref >> 30 == 1; }

class FunctionDecoder final : public FunctionContext {
 public:
  FunctionDecoder(ModuleDecoder& module, const ptx::Function& function, std::uint32_t routine);
  void run();

  // For Binding, about the instruction under way.
  ModuleDecoder& module() override { return module_; }
  const Scopes& scopes() const override { return scopes_; }
  const Symbol* find(std::string_view name) const override;
  Ref touch_read(std::uint32_t reg) override;
  Ref touch_write(std::uint32_t reg) override;
  std::uint32_t condition_code() override;
  std::uint32_t special(Special what, bool wide) override;
  std::uint32_t shared_offset(const Symbol& variable) override;
  void use_dynamic_shared(const Symbol& variable) override;
  std::uint64_t function_address(const Symbol& function) override;
  void keep_registers() override { keeps_ = true; }
  void defer_results() override { defers_ = true; }
  void branch_to(const Binding& binding, std::string_view label) override;
  void branch_table(const Binding& binding, std::string_view list, Op& op) override;
  void call(Binding& binding, Op& op) override;
  std::string_view keep_name(std::string name) override {
    return names_.emplace_back(std::move(name));
  }
  const std::vector<ptx::Operand>& keep_parts(std::vector<ptx::Operand> parts) override {
    return parts_.emplace_back(std::move(parts));
  }

 private:
  struct Register {
    Type type = Type::none;
    bool kept = false;  // by keep_registers, defer_results
    Special special = Special::count;
    bool wide = false;  // special of 64 bits
  };
  struct LabelPlace {
    std::uint32_t op = 0;
    bool reached = false;
  };
  struct Jump {
    std::uint32_t op = 0;
    bool is_table = false, leaves = false;
    std::vector<std::uint32_t> labels;
  };
  struct RegisterFormal {  // `.func (.reg .b32 r) f(.reg .b32 a)`: passed through the frame
    std::string_view name, frame_name;
    Type type = Type::none;
  };
  struct Signature {
    const FunctionInfo* function = nullptr;  // null: through a register
    const std::vector<ptx::Variable>*results = nullptr, *parameters = nullptr;
  };

  // Statements: function_decoder.cpp.
  void walk(const ptx::Block& block);
  void statement(const ptx::Instruction& instruction);
  void bind(const ptx::Instruction& instruction);
  void bind_as_written(const ptx::Instruction& instruction);
  void bind_guard(const ptx::Instruction& instruction, Op& op);
  void check_group(const ptx::Instruction& instruction);
  void append_return();

  // Declarations: declarations.cpp.
  void declare_formals();
  void declare(const ptx::Variable& variable);
  void declare_name(std::string_view name, const Symbol& symbol);
  void declare_registers(const ptx::Variable& variable, Type type);
  void declare_in_frame(std::string_view name, ptx::Position position, const VariableSize& size,
                        bool is_array, ptx::Space space);
  std::uint32_t add_register(const Register& added);

  // Calls: calls.cpp.
  static ptx::Operand name_operand(std::string_view name, ptx::Position position);
  bool calls_functions(const ptx::Block& block) const;
  Signature signature_of(const ptx::Instruction& instruction) const;
  void expand_call(const ptx::Instruction& instruction);
  bool is_frame_variable(const ptx::Operand& operand) const;
  ptx::Operand frame_copy_of(const ptx::Variable& formal, ptx::Position position);
  void copy_register(const ptx::Instruction& like, const char* root, Type type,
                     const ptx::Operand& reg, std::string_view variable);
  const Symbol& argument(const ptx::Instruction& instruction, const ptx::Operand& actual,
                         const ptx::Variable& formal) const;

  // After the last statement: link.cpp.
  void link();
  FlowGraph link_jumps(std::uint32_t base);
  void set_joins(const FlowGraph& graph, const std::vector<Transfer>& transfers,
                 std::uint32_t base);
  void allocate(const FlowGraph& graph);
  void mark_products();
  void mark_loads();
  void drop_unread();
  void read_directives();

  std::uint32_t next_op() const { return static_cast<std::uint32_t>(ops_.size()); }

  ModuleDecoder& module_;
  const ptx::Function& function_;
  std::uint32_t routine_index_;
  Routine& routine_;
  Scopes scopes_;
  SharedLayout own_shared_;
  SharedLayout* shared_;  // own_shared_ of a kernel, the common one of a function
  std::uint64_t frame_top_ = 0, frame_bytes_ = 0;

  std::vector<Op> ops_;
  std::vector<OpSource> sources_;
  std::vector<std::uint32_t> moves_, calls_, products_;  // ops that are `mov`, `call`, wgmma
  std::vector<std::uint32_t> loads_;                     // ... with deferred results
  std::vector<std::uint32_t> vector_loads_;              // `ld` of several elements
  std::uint32_t lists_begin_;
  Touches touches_;
  std::vector<Register> registers_;
  std::vector<LabelPlace> labels_;
  std::vector<Jump> jumps_;
  std::vector<RegisterFormal> register_results_;
  std::int64_t condition_code_ = -1;
  std::string_view tensor_group_;       // .cta_group of its tcgen05 instructions
  std::vector<std::int64_t> specials_;  // register of each Special, narrow and wide; -1 none
  bool predicated_ = false, keeps_ = false, defers_ = false, uses_functions_ = false;
  std::deque<std::string> names_;
  std::deque<std::vector<ptx::Operand>> parts_;
};

}  // namespace aisp::sim
