// Calls: who is called, and where arguments and results lie in the frames of both sides.
#include "base/refuse.hpp"
#include "sim/program/function_decoder.hpp"
#include "sim/program/refuse_line.hpp"

namespace aisp::sim {
namespace {

[[noreturn]] void refuse(const ptx::Instruction& instruction, const std::string& why) {
  refuse_line(instruction.position.line, why, instruction.text);
}

// What libcudadevrt defines for launches and waits of kernels.
bool is_device_runtime(std::string_view name) {
  return name.starts_with("__cudaCDP") || name.starts_with("cudaLaunchDevice") ||
         name.starts_with("cudaGetParameterBuffer") || name == "cudaDeviceSynchronize";
}

Type bits_type(std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      return Type::b8;
    case 2:
      return Type::b16;
    case 4:
      return Type::b32;
    case 8:
      return Type::b64;
    default:
      return bytes == 16 ? Type::b128 : Type::none;
  }
}

}  // namespace

ptx::Operand FunctionDecoder::name_operand(std::string_view name, ptx::Position position) {
  ptx::Operand operand;
  operand.kind = ptx::Operand::Kind::name;
  operand.position = position;
  operand.name = name;
  return operand;
}

bool FunctionDecoder::calls_functions(const ptx::Block& block) const {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement)) {
      if (calls_functions(**inner)) return true;
      continue;
    }
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (instruction == nullptr || instruction->root != "call" || instruction->operands.empty())
      continue;
    const Symbol* callee = module_.find(instruction->operands[0].name);
    const bool known = callee != nullptr && callee->kind == Symbol::Kind::function;
    if (!known || !module_.function(*callee).is_builtin) return true;
  }
  return false;
}

FunctionDecoder::Signature FunctionDecoder::signature_of(
    const ptx::Instruction& instruction) const {
  if (instruction.operands.empty()) refuse(instruction, "a call names no function");
  const std::string_view name = instruction.operands[0].name;
  auto of_function = [&](std::string_view callee) -> const FunctionInfo& {
    const Symbol* symbol = find(callee);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::function)
      refuse(instruction, base::say("'", callee, "' is not a function"));
    const FunctionInfo& info = module_.function(*symbol);
    if (info.function->is_entry) refuse(instruction, base::say("'", callee, "' is a kernel"));
    if (info.routine < 0 && !info.is_builtin && is_device_runtime(callee))
      refuse(instruction,
             base::say("kernels that launch kernels (dynamic parallelism) are not modelled: '",
                       callee, "' is of the device's own runtime"));
    if (info.routine < 0 && !info.is_builtin)
      refuse(instruction, base::say("function '", callee, "' is declared, but nothing defines it"));
    return info;
  };
  FoundRegister reg;
  if (!scopes_.find_register(name, reg)) {
    const FunctionInfo& info = of_function(name);
    return {&info, &info.function->results, &info.function->parameters};
  }
  const Symbol* symbol =
      instruction.operands.size() > 1 ? find(instruction.operands[1].name) : nullptr;
  if (symbol != nullptr && symbol->kind == Symbol::Kind::prototype)
    return {nullptr, &symbol->prototype->results, &symbol->prototype->parameters};
  if (symbol == nullptr || symbol->kind != Symbol::Kind::targets || !symbol->targets->is_calls ||
      symbol->targets->labels.empty())
    refuse(instruction, "a call through a register needs a .callprototype or .calltargets");
  const FunctionInfo& info = of_function(symbol->targets->labels[0]);
  return {nullptr, &info.function->results, &info.function->parameters};
}

bool FunctionDecoder::is_frame_variable(const ptx::Operand& operand) const {
  if (operand.kind != ptx::Operand::Kind::name) return false;
  const Symbol* symbol = scopes_.find(operand.name);
  return symbol != nullptr && symbol->kind == Symbol::Kind::variable && symbol->in_frame;
}

// A hidden .param variable for an argument or result that is not one itself.
ptx::Operand FunctionDecoder::frame_copy_of(const ptx::Variable& formal, ptx::Position position) {
  const std::string_view name = keep_name(base::say("copy ", names_.size()));
  declare_in_frame(name, position, module_.size_of(formal), formal.is_array, ptx::Space::param);
  return name_operand(name, position);
}

// st.param [variable], reg or ld.param reg, [variable], under the guard of `like`.
void FunctionDecoder::copy_register(const ptx::Instruction& like, const char* root, Type type,
                                    const ptx::Operand& reg, std::string_view variable) {
  ptx::Instruction copy;
  copy.position = like.position;
  copy.source = like.source;
  copy.guard = like.guard;
  copy.guard_negated = like.guard_negated;
  copy.text = like.text;
  copy.root = root;
  const bool is_float =
      reg.kind == ptx::Operand::Kind::value && reg.value.kind != ptx::Expression::Kind::integer;
  const Type stored = is_float ? type : bits_type(static_cast<std::uint32_t>(bits_of(type)) / 8);
  copy.modifiers = {"param", name_of(stored)};
  ptx::Operand address;
  address.kind = ptx::Operand::Kind::address;
  address.position = like.position;
  address.address.base = variable;
  copy.operands = {address, reg};
  if (copy.root == "ld") std::swap(copy.operands[0], copy.operands[1]);
  bind(copy);
}

void FunctionDecoder::expand_call(const ptx::Instruction& instruction) {
  const Signature signature = signature_of(instruction);
  if (instruction.arguments.size() != signature.parameters->size() ||
      instruction.results.size() != signature.results->size())
    refuse(instruction,
           base::say("the function takes ", signature.parameters->size(), " arguments and gives ",
                     signature.results->size(), " results, the call has ",
                     instruction.arguments.size(), " and ", instruction.results.size()));
  ptx::Instruction call = instruction;
  const std::uint64_t top = frame_top_;
  scopes_.push();
  for (std::size_t index = 0; index < call.arguments.size(); ++index) {
    const ptx::Variable& formal = (*signature.parameters)[index];
    ptx::Operand& actual = call.arguments[index];
    if (is_frame_variable(actual)) continue;
    const ptx::Operand copy = frame_copy_of(formal, instruction.position);
    copy_register(instruction, "st", module_.size_of(formal).type, actual, copy.name);
    actual = copy;
  }
  for (std::size_t index = 0; index < call.results.size(); ++index)
    if (!is_frame_variable(call.results[index]))
      call.results[index] = frame_copy_of((*signature.results)[index], instruction.position);
  bind(call);
  for (std::size_t index = 0; index < call.results.size(); ++index) {
    const ptx::Operand& actual = instruction.results[index];
    if (is_frame_variable(actual) || actual.kind == ptx::Operand::Kind::sink) continue;
    copy_register(instruction, "ld", module_.size_of((*signature.results)[index]).type, actual,
                  call.results[index].name);
  }
  scopes_.pop();
  frame_top_ = top;
}

const Symbol& FunctionDecoder::argument(const ptx::Instruction& instruction,
                                        const ptx::Operand& actual,
                                        const ptx::Variable& formal) const {
  const Symbol& symbol = *scopes_.find(actual.name);
  const VariableSize size = module_.size_of(formal);
  if (symbol.bytes != size.bytes || symbol.is_array != formal.is_array)
    refuse(instruction, base::say("'", actual.name, "' has ", symbol.bytes,
                                  " bytes, the function's parameter is a ",
                                  formal.is_array ? "array" : "scalar", " of ", size.bytes));
  return symbol;
}

void FunctionDecoder::call(Binding& binding, Op& op) {
  const ptx::Instruction& instruction = binding.instruction();
  const Signature signature = signature_of(instruction);
  const FrameLayout layout = module_.lay_out(*signature.results, *signature.parameters);
  CallSite site;
  if (signature.function == nullptr) {
    site.routine = CallSite::indirect;
    op.a = binding.read(0, Type::b64);
    module_.calls_indirectly.insert(routine_index_);
  } else if (signature.function->is_builtin) {
    site.builtin = signature.function->function->name;
  } else {
    site.routine = static_cast<std::uint32_t>(signature.function->routine);
    module_.callees[routine_index_].insert(site.routine);
  }
  for (const ptx::Operand& operand : instruction.operands) binding.ignore(operand);
  for (std::size_t index = 0; index < layout.params.size(); ++index) {
    const Symbol& from =
        argument(instruction, instruction.arguments[index], (*signature.parameters)[index]);
    site.in.push_back({static_cast<std::uint32_t>(from.offset), layout.params[index].offset,
                       layout.params[index].bytes});
  }
  for (std::size_t index = 0; index < layout.results.size(); ++index) {
    const Symbol& to =
        argument(instruction, instruction.results[index], (*signature.results)[index]);
    site.out.push_back({layout.results[index].offset, static_cast<std::uint32_t>(to.offset),
                        layout.results[index].bytes});
  }
  op.target = static_cast<std::uint32_t>(module_.program.calls.size());
  module_.program.calls.push_back(std::move(site));
}

std::uint64_t FunctionDecoder::function_address(const Symbol& function) {
  const FunctionInfo& info = module_.function(function);
  if (info.routine < 0)
    module_.refuse(function.position.line,
                   "the address of a function is taken, but nothing defines it");
  module_.address_taken.insert(static_cast<std::uint32_t>(info.routine));
  return Program::function_address(static_cast<std::uint32_t>(info.routine));
}

}  // namespace aisp::sim
