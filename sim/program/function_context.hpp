// What an instruction's binding asks of the function around it. Binding knows this much of the
// decoder, and the decoder knows Binding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/program/module_decoder.hpp"
#include "sim/program/scope.hpp"
#include "sim/program/special.hpp"

namespace aisp::sim {

class Binding;

class FunctionContext {
 public:
  virtual ModuleDecoder& module() = 0;
  virtual const Scopes& scopes() const = 0;
  virtual const Symbol* find(std::string_view name) const = 0;
  // Registers are numbers until the slots are allocated.
  virtual Ref touch_read(std::uint32_t reg) = 0;
  virtual Ref touch_write(std::uint32_t reg) = 0;
  virtual std::uint32_t condition_code() = 0;
  virtual std::uint32_t special(Special what, bool wide) = 0;
  virtual std::uint32_t shared_offset(const Symbol& variable) = 0;  // places a module's variable
  virtual void use_dynamic_shared(const Symbol& variable) = 0;
  virtual std::uint64_t function_address(const Symbol& function) = 0;
  virtual void keep_registers() = 0;
  virtual void defer_results() = 0;
  virtual void branch_to(const Binding& binding, std::string_view label) = 0;
  virtual void branch_table(const Binding& binding, std::string_view list, Op& op) = 0;
  virtual void call(Binding& binding, Op& op) = 0;
  virtual std::string_view keep_name(std::string name) = 0;
  // Elements of vector registers written as operands; lives until the routine is decoded.
  virtual const std::vector<ptx::Operand>& keep_parts(std::vector<ptx::Operand> parts) = 0;

 protected:
  ~FunctionContext() = default;
};

}  // namespace aisp::sim
