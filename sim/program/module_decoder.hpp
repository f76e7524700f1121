// The module's part of decoding: names every function sees, memory of variables, shared-memory
// layout, and the order in which functions and kernels are decoded.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/program/constants.hpp"
#include "sim/program/opcode.hpp"
#include "sim/program/program.hpp"
#include "sim/program/scope.hpp"

namespace aisp::sim {

// Bytes a 32-bit shared address leaves one block; parameters are held to the same.
inline constexpr std::uint64_t most_on_chip = 1u << 24;

struct VariableSize {
  std::uint32_t element_bytes = 0;  // of a scalar
  std::uint64_t bytes = 0, align = 1;
  Type type = Type::none;
};

// The frame a call fills: results first, parameters behind.
struct FrameLayout {
  std::vector<ParamSlot> results, params;
  std::uint32_t bytes = 0;
};

// Static shared memory of a kernel, or the part of it that device functions need.
struct SharedLayout {
  std::uint64_t end = 0;
  std::uint64_t dynamic_align = 16;
  std::unordered_map<int, std::uint32_t> module_variables;  // number -> offset
  std::vector<ParamSlot> variables;                         // what was placed
  std::uint32_t place(std::string_view name, std::uint64_t bytes, std::uint64_t align);
};

struct FunctionInfo {
  const ptx::Function* function = nullptr;  // the definition where there is one
  std::int64_t routine = -1;                // index into Program::routines
  bool is_builtin = false;
};

class ModuleDecoder {
 public:
  ModuleDecoder(const ptx::Module& module, const OpcodeTable& table, Program& program);
  void place_variables(const Placer& place, const Writer& write);
  // Functions and kernels that have a body, as Program::routines has them.
  const std::vector<const ptx::Function*>& routines() const { return routines_; }
  void finish();  // when all of them are decoded

  const Symbol* find(std::string_view name) const;  // module scope
  const FunctionInfo& function(const Symbol& symbol) const { return functions_[symbol.index]; }
  VariableSize size_of(const ptx::Variable& variable) const;
  std::string_view shared_name(int number) const {
    return module_shared_[static_cast<std::size_t>(number)];
  }
  FrameLayout lay_out(const std::vector<ptx::Variable>& results,
                      const std::vector<ptx::Variable>& parameters) const;
  [[noreturn]] void refuse(int line, const std::string& why) const;  // with the line's text

  const ptx::Module& module;
  const OpcodeTable& table;
  Program& program;
  ConstantPool constants;
  SharedLayout functions_shared;  // what functions use; kernels that call them begin with it
  std::uint32_t functions_registers = 0;  // bytes
  std::uint64_t frame_align = 16;
  // Call graph: callees of each routine; who is called through an address, and whose address is
  // taken.
  std::vector<std::set<std::uint32_t>> callees;
  std::set<std::uint32_t> calls_indirectly, address_taken;

 private:
  void declare_function(const ptx::Function& function);
  void declare_variable(const ptx::Variable& variable, const Placer& place);
  void write_initial(const ptx::Variable& variable, const Writer& write);
  std::uint64_t initial_bits(const ptx::Variable& variable, const ptx::Expression& value,
                             const VariableSize& size);
  std::uint64_t symbol_address(const ptx::Variable& variable, const ptx::Expression& value);
  void find_recursion();
  void finish_kernels();

  std::unordered_map<std::string_view, Symbol> names_;
  std::vector<FunctionInfo> functions_;
  std::vector<const ptx::Function*> routines_;   // one per Program::routines
  std::vector<std::string_view> module_shared_;  // names, by Symbol::module_shared
};

}  // namespace aisp::sim
