// What a routine declares: parameters, registers, variables of its frame and of shared memory.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/program/function_decoder.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint64_t most_registers = 1u << 22;  // of a routine, declared
constexpr std::uint64_t most_frame = 1u << 24;      // bytes of local memory of one activation

}  // namespace

void FunctionDecoder::declare_formals() {
  const FrameLayout layout = module_.lay_out(function_.results, function_.parameters);
  routine_.params = layout.params;
  routine_.results = layout.results;
  if (function_.is_entry)
    routine_.param_bytes = layout.bytes;
  else
    frame_top_ = frame_bytes_ = layout.bytes;
  std::vector<RegisterFormal> register_parameters;
  auto declare_all = [&](const std::vector<ptx::Variable>& formals,
                         const std::vector<ParamSlot>& slots,
                         std::vector<RegisterFormal>& in_registers) {
    for (std::size_t index = 0; index < formals.size(); ++index) {
      const ptx::Variable& formal = formals[index];
      Symbol symbol{.kind = Symbol::Kind::variable, .position = formal.position};
      symbol.type = module_.size_of(formal).type;
      symbol.space = ptx::Space::param;
      symbol.offset = slots[index].offset;
      symbol.bytes = slots[index].bytes;
      symbol.align = slots[index].align;
      symbol.is_array = formal.is_array;
      symbol.in_frame = !function_.is_entry;
      std::string_view name = formal.name;
      if (formal.space == ptx::Space::reg) {
        name = keep_name("frame of " + std::string(formal.name));
        in_registers.push_back({formal.name, name, symbol.type});
        declare_registers(formal, symbol.type);
      }
      declare_name(name, symbol);
    }
  };
  declare_all(function_.results, layout.results, register_results_);
  declare_all(function_.parameters, layout.params, register_parameters);
  ptx::Instruction entry;
  entry.position = function_.position;
  entry.text = function_.name;
  for (const RegisterFormal& formal : register_parameters) {
    copy_register(entry, "ld", formal.type, name_operand(formal.name, function_.position),
                  formal.frame_name);
  }
}

void FunctionDecoder::declare_name(std::string_view name, const Symbol& symbol) {
  if (!scopes_.declare(name, symbol))
    module_.refuse(symbol.position.line, base::say("'", name, "' is declared twice in this scope"));
}

std::uint32_t FunctionDecoder::add_register(const Register& added) {
  registers_.push_back(added);
  return static_cast<std::uint32_t>(registers_.size()) - 1;
}

void FunctionDecoder::declare_registers(const ptx::Variable& variable, Type type) {
  Symbol symbol{.kind = Symbol::Kind::reg, .position = variable.position, .type = type};
  symbol.index = static_cast<std::uint32_t>(registers_.size());
  symbol.elements = static_cast<std::uint32_t>(variable.vector);
  symbol.count = static_cast<std::uint32_t>(variable.count);
  const std::uint64_t added =
      std::uint64_t{symbol.elements} * std::max(1u, symbol.count) + registers_.size();
  if (added > most_registers)
    module_.refuse(variable.position.line,
                   base::say("more than ", most_registers, " registers in one function"));
  registers_.resize(added, Register{.type = type});
  declare_name(variable.name, symbol);
}

void FunctionDecoder::declare_in_frame(std::string_view name, ptx::Position position,
                                       const VariableSize& size, bool is_array, ptx::Space space) {
  Symbol symbol{.kind = Symbol::Kind::variable, .position = position, .type = size.type};
  symbol.space = space;
  symbol.offset = (frame_top_ + size.align - 1) / size.align * size.align;
  if (symbol.offset + size.bytes > most_frame)
    module_.refuse(position.line,
                   base::say("more than ", most_frame, " bytes of local memory in one function"));
  symbol.bytes = static_cast<std::uint32_t>(size.bytes);
  symbol.align = size.align;
  symbol.is_array = is_array;
  symbol.in_frame = true;
  frame_top_ = symbol.offset + size.bytes;
  frame_bytes_ = std::max(frame_bytes_, frame_top_);
  module_.frame_align = std::max(module_.frame_align, size.align);
  declare_name(name, symbol);
}

void FunctionDecoder::declare(const ptx::Variable& variable) {
  const VariableSize size = module_.size_of(variable);
  if (!variable.initial.empty())
    module_.refuse(variable.position.line, "only .global and .const variables have initial values");
  Symbol symbol{.kind = Symbol::Kind::variable, .position = variable.position, .type = size.type};
  switch (variable.space) {
    case ptx::Space::reg:
      return declare_registers(variable, size.type);
    case ptx::Space::local:
    case ptx::Space::param:
      return declare_in_frame(variable.name, variable.position, size, variable.is_array,
                              variable.space);
    case ptx::Space::shared:
      symbol.space = ptx::Space::shared;
      symbol.is_dynamic = variable.is_extern;
      symbol.align = size.align;
      if (!symbol.is_dynamic) symbol.offset = shared_->place(variable.name, size.bytes, size.align);
      return declare_name(variable.name, symbol);
    default:
      module_.refuse(variable.position.line,
                     "a variable of this state space is declared at module scope only");
  }
}

}  // namespace aisp::sim
