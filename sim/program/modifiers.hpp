// The one reader of an instruction's modifiers. Most are read from left to right, by name or by a
// table of names; where compilers write them in any order, read_all() collects them by kind first.
// Whatever is not read is refused by the decoder, with the line of the instruction.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/program/architecture.hpp"
#include "sim/program/type.hpp"
#include "sim/ptx/module.hpp"

namespace aisp::sim {

// One of the words that may stand in a place, and what it means there.
template <class T>
struct Word {
  std::string_view text;
  T value{};
  Needs needs{};
};

// A word for read_all(): at most one of a kind may stand, unless the rules make a list of the kind.
struct Modifier {
  std::string_view text;
  int kind = 0, value = 0;
  Needs needs{};

  template <class Kind, class Value = int>
  constexpr Modifier(std::string_view text, Kind kind, Value value = {}, Needs needs = {})
      : text(text), kind(static_cast<int>(kind)), value(static_cast<int>(value)), needs(needs) {}
};

using Kinds = std::uint32_t;  // one bit per kind
template <class... Kind>
constexpr Kinds kinds(Kind... kind) {
  return (Kinds{0} | ... | (Kinds{1} << static_cast<int>(kind)));
}

struct ModifierRules {
  std::span<const Modifier> words, more{};
  Kinds allowed = ~Kinds{0};  // of the kinds in the tables; one outside is refused by name
  Kinds lists = 0;            // kinds of which several may stand
  int types = -1;             // kind of words that no table has and that are types; -1: none are
  // What no table can list, such as the shapes of matrices.
  std::optional<Modifier> (*other)(std::string_view text) = nullptr;
};

// What read_all() found.
class ModifierSet {
 public:
  ModifierSet() { found_.reserve(8); }
  void add(const Modifier& modifier) { found_.push_back(modifier); }
  const Modifier* find(int kind) const;

  template <class Kind>
  bool has(Kind kind) const {
    return find(static_cast<int>(kind)) != nullptr;
  }
  // The first value of the kind.
  template <class T, class Kind>
  T get(Kind kind, T otherwise) const {
    const Modifier* modifier = find(static_cast<int>(kind));
    return modifier != nullptr ? static_cast<T>(modifier->value) : otherwise;
  }
  // All of them, as they come.
  template <class T, class Kind>
  std::vector<T> all(Kind kind) const {
    std::vector<T> values;
    for (const Modifier& modifier : found_)
      if (modifier.kind == static_cast<int>(kind)) values.push_back(static_cast<T>(modifier.value));
    return values;
  }

 private:
  std::vector<Modifier> found_;
};

struct Program;

class ModifierReader {
 public:
  ModifierReader(const Program& program, const ptx::Instruction& instruction, int name_modifiers);

  const ptx::Instruction& instruction() const { return instruction_; }
  [[noreturn]] void refuse(const std::string& why) const;
  // Refuses when the module's target is none of these: "<what> needs sm_90: the target is sm_80".
  void require(Needs needs, std::string_view what) const;
  bool meets(Needs needs) const;
  // Rules of old modules. PTX for sm_1x flushes subnormal numbers of f32 in every instruction, with
  // .ftz or without it. `version` of the PTX ISA, times 10: 14 is 1.4.
  bool always_flushes() const;
  bool is_before(int version) const;
  // Words that came with an architecture, wherever they stand behind the opcode's name.
  void require_words() const;

  // Left to right.
  bool more() const { return next_ < instruction_.modifiers.size(); }
  std::string_view peek() const;  // "" at the end
  bool accept(std::string_view modifier);
  bool accept_any(std::initializer_list<std::string_view> modifiers);  // one of them
  void expect(std::string_view modifier);
  std::string_view take();                            // any; refuses at the end
  Type type();                                        // the next one must be a type
  Type type_of(std::initializer_list<Type> allowed);  // ... one of these
  bool accept_type(Type& type);                       // takes it if it is one

  template <class T, std::size_t count>
  std::optional<T> accept(const Word<T> (&words)[count]) {
    for (const Word<T>& word : words) {
      if (!accept(word.text)) continue;
      require_word(word.text, word.needs);
      return word.value;
    }
    return std::nullopt;
  }
  // One of the words has to stand here; `otherwise` is the refusal.
  template <class T, std::size_t count>
  T one_of(const Word<T> (&words)[count], const char* otherwise) {
    const std::optional<T> value = accept(words);
    if (!value) refuse(otherwise);
    return *value;
  }

  // All that are left, in any order.
  ModifierSet read_all(const ModifierRules& rules);

 protected:
  const ptx::Instruction& instruction_;

 private:
  void require_word(std::string_view text, Needs needs) const;

  const Program& program_;
  std::size_t first_, next_;
};

}  // namespace aisp::sim
