// Variables: their sizes, where they lie, and what the initial bytes of a module's are.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/program/function_decoder.hpp"

namespace aisp::sim {

std::uint32_t SharedLayout::place(std::string_view name, std::uint64_t bytes, std::uint64_t align) {
  const std::uint64_t at = (end + align - 1) / align * align;
  end = at + bytes;
  variables.push_back({std::string(name), static_cast<std::uint32_t>(at),
                       static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(align)});
  return static_cast<std::uint32_t>(at);
}

VariableSize ModuleDecoder::size_of(const ptx::Variable& variable) const {
  const auto type = parse_type(variable.type);
  if (!type)
    refuse(variable.position.line,
           base::say("variables of type .", variable.type, " are not modelled"));
  VariableSize size;
  size.type = *type;
  size.element_bytes = static_cast<std::uint32_t>(bits_of(*type) / 8);
  const bool is_register = variable.space == ptx::Space::reg;
  if (is_register) {
    size.bytes = size.align = size.element_bytes;
    return size;
  }
  if (size.element_bytes == 0)
    refuse(variable.position.line, base::say("a variable in memory cannot be .", variable.type));
  size.bytes = std::uint64_t{size.element_bytes} * static_cast<std::uint64_t>(variable.vector);
  size.align = variable.align != 0 ? variable.align : size.bytes;
  constexpr std::uint64_t most_align = 1u << 16;
  if (!std::has_single_bit(size.align) || size.align > most_align)
    refuse(variable.position.line,
           base::say("alignment ", size.align, " is not a power of two up to ", most_align));
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  for (std::size_t dim = 0; dim < variable.extents.size(); ++dim) {
    std::uint64_t extent = variable.extents[dim];
    if (dim == 0 && extent == 0 && !variable.initial.empty()) {
      std::uint64_t row = static_cast<std::uint64_t>(variable.vector);
      for (std::size_t inner = 1; inner < variable.extents.size(); ++inner)
        row *= std::max<std::uint64_t>(1, variable.extents[inner]);
      extent = (variable.initial.size() + row - 1) / row;
    }
    if (extent != 0 && size.bytes > most / extent)
      refuse(variable.position.line, base::say("'", variable.name, "' is larger than 2^40 bytes"));
    size.bytes *= extent;
  }
  const bool on_chip = variable.space == ptx::Space::shared || variable.space == ptx::Space::param;
  if (on_chip && size.bytes > most_on_chip)
    refuse(variable.position.line, base::say("'", variable.name, "' has ", size.bytes,
                                             " bytes, at most ", most_on_chip, " are possible"));
  return size;
}

FrameLayout ModuleDecoder::lay_out(const std::vector<ptx::Variable>& results,
                                   const std::vector<ptx::Variable>& parameters) const {
  FrameLayout layout;
  auto append = [&](const ptx::Variable& variable, std::vector<ParamSlot>& slots) {
    const VariableSize size = size_of(variable);
    if (size.bytes == 0)
      refuse(variable.position.line,
             base::say("'", variable.name, "' has no size to be passed by"));
    const auto align = static_cast<std::uint32_t>(size.align);
    const std::uint32_t at = (layout.bytes + align - 1) / align * align;
    slots.push_back(
        {std::string(variable.name), at, static_cast<std::uint32_t>(size.bytes), align});
    layout.bytes = at + static_cast<std::uint32_t>(size.bytes);
    if (layout.bytes > most_on_chip)
      refuse(variable.position.line,
             base::say("parameters have more than ", most_on_chip, " bytes"));
  };
  for (const ptx::Variable& variable : results) append(variable, layout.results);
  for (const ptx::Variable& variable : parameters) append(variable, layout.params);
  return layout;
}

void ModuleDecoder::declare_variable(const ptx::Variable& variable, const Placer& place) {
  const VariableSize size = size_of(variable);
  Symbol symbol{.kind = Symbol::Kind::variable, .position = variable.position, .type = size.type};
  symbol.space = variable.space;
  symbol.align = size.align;
  symbol.bytes = static_cast<std::uint32_t>(size.bytes);
  symbol.is_array = variable.is_array;
  GlobalVariable made{std::string(variable.name), variable.space,    size.bytes, size.align,
                      std::uint64_t{0},           variable.is_extern};
  switch (variable.space) {
    case ptx::Space::shared:
      symbol.is_dynamic = variable.is_extern;
      if (!symbol.is_dynamic) {
        symbol.module_shared = static_cast<int>(module_shared_.size());
        module_shared_.push_back(variable.name);
      }
      break;
    case ptx::Space::global:
    case ptx::Space::constant:
      made.address = place({variable.name, variable.space, size.bytes, size.align,
                            variable.is_extern, variable.is_managed});
      symbol.offset = made.address;
      break;
    default:
      refuse(variable.position.line, "a variable of this state space cannot stand at module scope");
  }
  const auto [entry, fresh] = names_.try_emplace(variable.name, symbol);
  const bool redeclares = !fresh && entry->second.kind == Symbol::Kind::variable &&
                          entry->second.space == variable.space;
  // `.extern .global x;` may stand beside the definition.
  if (!fresh && !redeclares)
    refuse(variable.position.line, base::say("'", variable.name, "' is declared twice"));
  program.variables.push_back(std::move(made));
}

void ModuleDecoder::place_variables(const Placer& place, const Writer& write) {
  std::unordered_map<std::string_view, const ptx::Variable*> chosen;
  for (const ptx::Variable& variable : module.variables) {
    const auto [entry, fresh] = chosen.try_emplace(variable.name, &variable);
    if (fresh) continue;
    if (!entry->second->is_extern && !variable.is_extern)
      refuse(variable.position.line, base::say("'", variable.name, "' is declared twice"));
    if (entry->second->is_extern) entry->second = &variable;
  }
  for (const ptx::Variable& variable : module.variables)
    if (chosen[variable.name] == &variable) declare_variable(variable, place);
  for (const ptx::Variable& variable : module.variables)
    if (!variable.initial.empty()) write_initial(variable, write);
}

void ModuleDecoder::write_initial(const ptx::Variable& variable, const Writer& write) {
  if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant)
    refuse(variable.position.line, "only .global and .const variables have initial values");
  const VariableSize size = size_of(variable);
  if (variable.initial.size() * size.element_bytes > size.bytes)
    refuse(variable.position.line,
           base::say("'", variable.name, "' has ", variable.initial.size(),
                     " initial values, more than fit into ", size.bytes, " bytes"));
  constexpr std::uint64_t most = std::uint64_t{1} << 28;
  if (size.bytes > most)
    refuse(variable.position.line, base::say("'", variable.name, "' has ", size.bytes,
                                             " bytes, at most ", most, " can have initial values"));
  std::vector<std::byte> bytes(size.bytes);
  std::byte* to = bytes.data();
  for (const ptx::Expression& value : variable.initial) {
    const std::uint64_t bits = initial_bits(variable, value, size);
    std::memcpy(to, &bits, std::min<std::uint32_t>(size.element_bytes, sizeof bits));
    to += size.element_bytes;
  }
  write(find(variable.name)->offset, bytes.data(), bytes.size());
}

std::uint64_t ModuleDecoder::initial_bits(const ptx::Variable& variable,
                                          const ptx::Expression& value, const VariableSize& size) {
  using Kind = ptx::Expression::Kind;
  if (value.kind == Kind::symbol) {
    const std::uint64_t address = symbol_address(variable, value);
    if (value.mask_byte >= 0) return address >> (8 * value.mask_byte) & 0xff;
    if (size.element_bytes < 8)
      refuse(variable.position.line, base::say("the address of '", value.symbol,
                                               "' needs 8 bytes, the variable's elements"
                                               " have ",
                                               size.element_bytes));
    return address;
  }
  if (value.kind == Kind::integer) {
    if (is_float(size.type) && value.bits != 0)
      refuse(variable.position.line, "an integer is no initial value of a floating-point variable");
    return value.bits;
  }
  const double number = value.kind == Kind::f32
                            ? std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))
                            : std::bit_cast<double>(value.bits);
  if (size.type == Type::f32)
    return value.kind == Kind::f32 ? value.bits
                                   : std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (size.type == Type::f64) return std::bit_cast<std::uint64_t>(number);
  if (!is_bits(size.type) || (size.element_bytes != 4 && size.element_bytes != 8))
    refuse(variable.position.line,
           base::say("a floating-point value does not initialise .", name_of(size.type)));
  // As ptxas does: a decimal number has the size of the element, 0f keeps its 32 bits.
  if (size.element_bytes == 4 && value.kind == Kind::f64)
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  return value.bits;
}

std::uint64_t ModuleDecoder::symbol_address(const ptx::Variable& variable,
                                            const ptx::Expression& value) {
  const Symbol* symbol = find(value.symbol);
  if (symbol == nullptr)
    refuse(variable.position.line, base::say("'", value.symbol, "' is not declared"));
  if (symbol->kind == Symbol::Kind::function) {
    const FunctionInfo& info = function(*symbol);
    if (info.routine < 0)
      refuse(variable.position.line,
             base::say("function '", value.symbol, "' is declared, but nothing defines it"));
    address_taken.insert(static_cast<std::uint32_t>(info.routine));
    return Program::function_address(static_cast<std::uint32_t>(info.routine));
  }
  if (symbol->space == ptx::Space::shared)
    refuse(variable.position.line,
           base::say("'", value.symbol, "' lies in shared memory: its address is not constant"));
  return symbol->offset + value.bits;
}

std::uint32_t FunctionDecoder::shared_offset(const Symbol& variable) {
  if (variable.module_shared < 0) return static_cast<std::uint32_t>(variable.offset);
  const auto known = shared_->module_variables.find(variable.module_shared);
  if (known != shared_->module_variables.end()) return known->second;
  const std::uint32_t offset =
      shared_->place(module_.shared_name(variable.module_shared), variable.bytes, variable.align);
  shared_->module_variables.emplace(variable.module_shared, offset);
  return offset;
}

void FunctionDecoder::use_dynamic_shared(const Symbol& variable) {
  shared_->dynamic_align = std::max(shared_->dynamic_align, variable.align);
}

}  // namespace aisp::sim
