#include "sim/exec/matrix_modifiers.hpp"

#include <charconv>

#include "base/refuse.hpp"

namespace sim {
namespace {

using base::say;

// "m16n8k16", "m8n8": the numbers behind the letters, in this order.
bool parse_shape(std::string_view text, MatrixModifiers& into) {
  int* const numbers[] = {&into.m, &into.n, &into.k};
  constexpr std::string_view letters = "mnk";
  const char* at = text.data();
  const char* const end = at + text.size();
  std::size_t part = 0;
  for (; part < letters.size() && at != end; ++part) {
    if (*at != letters[part]) return false;
    const auto [next, error] = std::from_chars(at + 1, end, *numbers[part]);
    if (error != std::errc{}) return false;
    at = next;
  }
  return part >= 2 && at == end;
}

bool take_word(std::string_view word, MatrixModifiers& into) {
  struct Row {
    std::string_view word;
    void (*apply)(MatrixModifiers&);
  };
  using M = MatrixModifiers;
  static constexpr Row rows[] = {
      {"sp", [](M& m) { m.sparse = true; }},
      {"sp::ordered_metadata", [](M& m) { m.sparse = true; }},
      {"satfinite", [](M& m) { m.saturate = true; }},
      {"trans", [](M& m) { m.transposed = true; }},
      {"xor", [](M& m) { m.bits = BitOperation::exclusive_or; }},
      {"and", [](M& m) { m.bits = BitOperation::conjunction; }},
      {"row", [](M& m) { m.row_major.push_back(true); }},
      {"col", [](M& m) { m.row_major.push_back(false); }},
      {"x1", [](M& m) { m.count = 1; }},
      {"x2", [](M& m) { m.count = 2; }},
      {"x4", [](M& m) { m.count = 4; }},
      {"a", [](M& m) { m.role = 'a'; }},
      {"b", [](M& m) { m.role = 'b'; }},
      {"c", [](M& m) { m.role = 'c'; }},
      {"d", [](M& m) { m.role = 'd'; }},
      {"global", [](M& m) { m.space = ptx::Space::global; }},
      {"shared", [](M& m) { m.space = ptx::Space::shared; }},
      {"shared::cta", [](M& m) { m.space = ptx::Space::shared; }},
      {"rn", [](M& m) { m.round = Round::rn, m.rounds = true; }},
      {"rz", [](M& m) { m.round = Round::rz, m.rounds = true; }},
      {"rm", [](M& m) { m.round = Round::rm, m.rounds = true; }},
      {"rp", [](M& m) { m.round = Round::rp, m.rounds = true; }},
  };
  for (const Row& row : rows) {
    if (row.word != word) continue;
    row.apply(into);
    return true;
  }
  return false;
}

bool is_rounding(std::string_view word) {
  return word == "rn" || word == "rz" || word == "rm" || word == "rp";
}

bool is_of_later_architectures(std::string_view word) {
  return word.starts_with("kind::") || word.starts_with("block_scale") ||
         word.starts_with("scale_vec") || word.starts_with("b8x16") || word == "b6x16_p32" ||
         word == "b4x16_p64" || word == "b8" || word == "ue8m0" || word == "e2m1" ||
         word == "e2m3" || word == "e3m2";
}

}  // namespace

MatrixModifiers matrix_modifiers(Binding& binding) {
  MatrixModifiers all;
  bool sync = false, aligned = false, popc = false;
  while (binding.more()) {
    if (is_of_later_architectures(binding.peek()))
      binding.refuse(say("'.", binding.peek(), "' is of sm_100 and later"));
    if (binding.accept("sync"))
      sync = true;
    else if (binding.accept("aligned"))
      aligned = true;
    else if (binding.accept("popc"))
      popc = true;
    else if (Type type{}; binding.accept_type(type))
      all.types.push_back(type);
    else if (const std::string_view word = binding.take();
             (all.rounds && is_rounding(word)) ||
             (!take_word(word, all) && !parse_shape(word, all)))
      binding.refuse(say("'.", word, "' is not a modifier of this instruction"));
  }
  if (!sync || !aligned) binding.refuse("'.sync.aligned' is missing");
  if (popc != (all.bits != BitOperation::none))
    binding.refuse("'.xor' or '.and' goes with '.popc'");
  return all;
}

void list_registers(Binding& binding, int operand, int count, Type type, Use use) {
  const ptx::Operand& vector = binding.operand(operand);
  if (vector.kind != ptx::Operand::Kind::vector)
    binding.refuse(say("operand ", operand + 1, " is to be a vector of ", count));
  if (static_cast<int>(vector.parts.size()) != count)
    binding.refuse(say("operand ", operand + 1, " needs ", count, " registers, ",
                       vector.parts.size(), " are given"));
  if (count == 1 && vector.parts[0].kind == ptx::Operand::Kind::sink)
    binding.refuse("a result that is one register cannot be discarded with '_'");
  for (const ptx::Operand& part : vector.parts) {
    switch (use) {
      case Use::read:
        binding.list(binding.read(part, type));
        break;
      case Use::write:
        binding.list(binding.write(part, type));
        break;
      case Use::read_write:
        binding.list(binding.read_write(part, type));
        break;
    }
  }
}

}  // namespace sim
