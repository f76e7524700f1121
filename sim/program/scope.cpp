#include "sim/program/scope.hpp"

namespace aisp::sim {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 0 to 3 for ".x" to ".w" and ".r" to ".a"; -1 for anything else.
int element_of(std::string_view name) {
  if (name.size() < 3 || name[name.size() - 2] != '.') return -1;
  const auto geometric = std::string_view("xyzw").find(name.back());
  if (geometric != std::string_view::npos) return static_cast<int>(geometric);
  const auto colour = std::string_view("rgba").find(name.back());
  return colour == std::string_view::npos ? -1 : static_cast<int>(colour);
}

}  // namespace

bool Scopes::declare(std::string_view name, const Symbol& symbol) {
  Scope& scope = scopes_.back();
  if (symbol.count > 0) return scope.families.try_emplace(name, symbol).second;
  FoundRegister taken;
  if (in_family(scope, name, taken)) return false;
  return scope.names.try_emplace(name, symbol).second;
}

const Symbol* Scopes::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) return &found->second;
  }
  return nullptr;
}

// "%r12" is number 12 of %r<n>, or number 2 of %r1<n>; "%r01" is neither.
bool Scopes::in_family(const Scope& scope, std::string_view name, FoundRegister& found) {
  if (scope.families.empty()) return false;
  std::uint64_t number = 0, place = 1;
  for (std::size_t at = name.size(); at > 1 && is_digit(name[at - 1]) && name.size() - at < 9;) {
    --at;
    number += place * static_cast<std::uint64_t>(name[at] - '0');
    place *= 10;
    if (name[at] == '0' && at + 1 < name.size()) continue;
    const auto family = scope.families.find(name.substr(0, at));
    if (family == scope.families.end() || number >= family->second.count) continue;
    const Symbol& symbol = family->second;
    found = {symbol.index + static_cast<std::uint32_t>(number) * symbol.elements, symbol.type,
             symbol.elements};
    return true;
  }
  return false;
}

bool Scopes::find_register(std::string_view name, FoundRegister& found) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto whole = scope->names.find(name);
    if (whole != scope->names.end()) {
      const Symbol& symbol = whole->second;
      found = {symbol.index, symbol.type, symbol.elements};
      return symbol.kind == Symbol::Kind::reg;
    }
    if (in_family(*scope, name, found)) return true;
  }
  const int element = element_of(name);
  if (element < 0 || !find_register(name.substr(0, name.size() - 2), found)) return false;
  if (static_cast<std::uint32_t>(element) >= found.elements) return false;
  found.number += static_cast<std::uint32_t>(element);
  found.elements = 1;
  return true;
}

}  // namespace aisp::sim
