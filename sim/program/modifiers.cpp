#include "sim/program/modifiers.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "sim/program/program.hpp"
#include "sim/program/refuse_line.hpp"

namespace aisp::sim {
namespace {

using base::say;

// Clusters, and what came with the asynchronous proxy.
struct WordNeeds {
  std::string_view text;
  Needs needs;
};
constexpr WordNeeds word_needs[] = {
    {"cluster", sm_90},   {"shared::cluster", sm_90},    {"mbarrier_init", sm_90},
    {"tensormap", sm_90}, {"tensormap::generic", sm_90},
};

const Modifier* find_word(std::span<const Modifier> words, std::string_view text) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const Modifier& word) { return word.text == text; });
  return found == words.end() ? nullptr : &*found;
}

std::optional<Modifier> meaning(const ModifierRules& rules, std::string_view text) {
  if (const Modifier* word = find_word(rules.words, text); word != nullptr) return *word;
  if (const Modifier* word = find_word(rules.more, text); word != nullptr) return *word;
  if (rules.types >= 0)
    if (const auto type = parse_type(text)) return Modifier{text, rules.types, *type};
  return rules.other != nullptr ? rules.other(text) : std::nullopt;
}

}  // namespace

const Modifier* ModifierSet::find(int kind) const {
  const auto at = std::find_if(found_.begin(), found_.end(),
                               [&](const Modifier& modifier) { return modifier.kind == kind; });
  return at == found_.end() ? nullptr : &*at;
}

ModifierReader::ModifierReader(const Program& program, const ptx::Instruction& instruction,
                               int name_modifiers)
    : instruction_(instruction),
      program_(program),
      first_(static_cast<std::size_t>(name_modifiers)),
      next_(first_) {}

void ModifierReader::refuse(const std::string& why) const {
  refuse_line(instruction_.position.line, why, instruction_.text);
}

bool ModifierReader::meets(Needs needs) const {
  // A family's target, sm_100f, has what all of the family have.
  const bool specific = program_.target.ends_with('a') || program_.target.ends_with('f');
  return needs.met_by(program_.architecture, specific);
}

bool ModifierReader::always_flushes() const { return program_.architecture < 20; }
bool ModifierReader::is_before(int version) const { return program_.version < version; }

void ModifierReader::require(Needs needs, std::string_view what) const {
  if (!meets(needs))
    refuse(say(what, " needs ", needs.name(), ": the target is ", program_.target));
}

void ModifierReader::require_word(std::string_view text, Needs needs) const {
  if (!meets(needs)) require(needs, say('.', text));
}

void ModifierReader::require_words() const {
  for (std::size_t i = first_; i < instruction_.modifiers.size(); ++i) {
    if (program_.maps_doubles && instruction_.modifiers[i] == "f64")
      refuse("an instruction of .f64 with the target option map_f64_to_f32 is not modelled");
    for (const WordNeeds& word : word_needs)
      if (instruction_.modifiers[i] == word.text) require_word(word.text, word.needs);
  }
}

std::string_view ModifierReader::peek() const {
  return more() ? instruction_.modifiers[next_] : std::string_view{};
}

bool ModifierReader::accept(std::string_view modifier) {
  if (!more() || instruction_.modifiers[next_] != modifier) return false;
  ++next_;
  return true;
}

bool ModifierReader::accept_any(std::initializer_list<std::string_view> modifiers) {
  return std::any_of(modifiers.begin(), modifiers.end(),
                     [&](std::string_view modifier) { return accept(modifier); });
}

void ModifierReader::expect(std::string_view modifier) {
  if (accept(modifier)) return;
  refuse(more() ? say("'.", modifier, "' is expected where '.", peek(), "' stands")
                : say("'.", modifier, "' is missing"));
}

std::string_view ModifierReader::take() {
  if (!more()) refuse("a modifier is missing");
  return instruction_.modifiers[next_++];
}

bool ModifierReader::accept_type(Type& type) {
  if (!more()) return false;
  const auto parsed = parse_type(peek());
  if (!parsed) return false;
  type = *parsed;
  ++next_;
  return true;
}

Type ModifierReader::type() {
  Type found = Type::none;
  if (!accept_type(found))
    refuse(more() ? say("'.", peek(), "' is not a type") : "the type is missing");
  return found;
}

Type ModifierReader::type_of(std::initializer_list<Type> allowed) {
  const Type found = type();
  if (std::find(allowed.begin(), allowed.end(), found) == allowed.end())
    refuse(say("type .", name_of(found), " is not one of this instruction's"));
  return found;
}

ModifierSet ModifierReader::read_all(const ModifierRules& rules) {
  ModifierSet set;
  while (more()) {
    const std::string_view text = take();
    const std::optional<Modifier> word = meaning(rules, text);
    if (!word) refuse(say("'.", text, "' is not a modifier of this instruction"));
    if ((rules.allowed & kinds(word->kind)) == 0)
      refuse(say("'.", text, "' does not belong to this instruction"));
    if ((rules.lists & kinds(word->kind)) == 0 && set.has(word->kind))
      refuse(say("'.", text, "' is a second modifier of its kind"));
    require_word(text, word->needs);
    set.add(*word);
  }
  return set;
}

}  // namespace aisp::sim
