// Names of a routine: nested scopes, each hiding what its outer ones declare.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/program/type.hpp"
#include "sim/ptx/module.hpp"

namespace aisp::sim {

struct Symbol {
  enum class Kind : std::uint8_t { reg, variable, label, targets, prototype, function } kind{};
  ptx::Position position;
  Type type = Type::none;      // registers and variables
  std::uint32_t index = 0;     // register: its number; label: its number; function: see decoder
  std::uint32_t elements = 1;  // register: of a vector
  std::uint32_t count = 0;     // register: how many share the prefix; 0: the name is whole
  // Variables.
  ptx::Space space = ptx::Space::none;
  std::uint64_t offset = 0;  // in its frame, bank or shared memory; .global, .const: the address
  std::uint32_t bytes = 0;
  std::uint64_t align = 1;
  bool in_frame = false;    // frame of the routine
  bool is_dynamic = false;  // .extern .shared
  bool is_array = false;
  int module_shared = -1;  // number of a module-scope .shared variable: placed when first used
  const ptx::TargetList* targets = nullptr;
  const ptx::Prototype* prototype = nullptr;
};

struct FoundRegister {
  std::uint32_t number = 0;
  Type type = Type::none;
  std::uint32_t elements = 1;  // more than one: a whole vector register
};

class Scopes {
 public:
  void push() { scopes_.emplace_back(); }
  void pop() { scopes_.pop_back(); }
  // False when the name is taken in the innermost scope.
  bool declare(std::string_view name, const Symbol& symbol);
  // Innermost symbol of that whole name, null for registers of a %r<n> family.
  const Symbol* find(std::string_view name) const;
  // A register by whole name, of a family (%r12), or an element of a vector register (v.x).
  bool find_register(std::string_view name, FoundRegister& found) const;

 private:
  struct Scope {
    std::unordered_map<std::string_view, Symbol> names;
    std::unordered_map<std::string_view, Symbol> families;  // by prefix
  };
  static bool in_family(const Scope& scope, std::string_view name, FoundRegister& found);
  std::vector<Scope> scopes_;
};

}  // namespace aisp::sim
