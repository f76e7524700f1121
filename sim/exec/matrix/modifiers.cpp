#include "sim/exec/matrix/modifiers.hpp"

#include <charconv>
#include <optional>

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

using base::say;

enum class Kind : std::uint8_t {
  sync,
  aligned,
  popc,
  sparse,
  saturate,
  transposed,
  bits,       // BitOperation
  row_major,  // true or false, of each operand
  count,      // .x1 .x2 .x4
  role,       // the letter
  space,      // ptx::Space
  round,      // Round
  type,       // Type, of each operand
  shape,      // packed_shape()
  bytes,      // .b8, .b8x16: of ldmatrix and stmatrix
  packed,     // Packed, of ldmatrix
  later,      // of sm_100 and later
};

constexpr Modifier words[] = {
    {"sync", Kind::sync},
    {"aligned", Kind::aligned},
    {"popc", Kind::popc},
    {"sp", Kind::sparse},
    {"sp::ordered_metadata", Kind::sparse},
    {"satfinite", Kind::saturate},
    {"trans", Kind::transposed},
    {"xor", Kind::bits, BitOperation::exclusive_or},
    {"and", Kind::bits, BitOperation::conjunction},
    {"row", Kind::row_major, true},
    {"col", Kind::row_major, false},
    {"x1", Kind::count, 1},
    {"x2", Kind::count, 2},
    {"x4", Kind::count, 4},
    {"a", Kind::role, 'a'},
    {"b", Kind::role, 'b'},
    {"c", Kind::role, 'c'},
    {"d", Kind::role, 'd'},
    {"global", Kind::space, ptx::Space::global},
    {"shared", Kind::space, ptx::Space::shared},
    {"shared::cta", Kind::space, ptx::Space::shared},
    {"rn", Kind::round, Round::rn},
    {"rz", Kind::round, Round::rz},
    {"rm", Kind::round, Round::rm},
    {"rp", Kind::round, Round::rp},
    {"b6x16_p32", Kind::packed, Packed::b6x16_p32},
    {"b4x16_p64", Kind::packed, Packed::b4x16_p64},
    {"b8", Kind::bytes, false},
    {"b8x16", Kind::bytes, true},
    {"ue8m0", Kind::later},
    {"e2m1", Kind::later},
    {"e2m3", Kind::later},
    {"e3m2", Kind::later},
};
constexpr std::string_view later_prefixes[] = {"kind::", "block_scale", "scale_vec"};

constexpr int shape_bits = 10;
constexpr int packed_shape(const int (&sizes)[3]) {
  return sizes[0] | sizes[1] << shape_bits | sizes[2] << 2 * shape_bits;
}

// "m16n8k16", "m8n8": the numbers behind the letters, in this order.
std::optional<Modifier> parse_shape(std::string_view text) {
  int sizes[3] = {};
  constexpr std::string_view letters = "mnk";
  const char* at = text.data();
  const char* const end = at + text.size();
  std::size_t part = 0;
  for (; part < letters.size() && at != end; ++part) {
    if (*at != letters[part]) return std::nullopt;
    const auto [next, error] = std::from_chars(at + 1, end, sizes[part]);
    if (error != std::errc{} || sizes[part] < 0 || sizes[part] >> shape_bits != 0)
      return std::nullopt;
    at = next;
  }
  if (part < 2 || at != end) return std::nullopt;
  return Modifier{text, Kind::shape, packed_shape(sizes)};
}

std::optional<Modifier> other_word(std::string_view text) {
  for (const std::string_view prefix : later_prefixes)
    if (text.starts_with(prefix)) return Modifier{text, Kind::later};
  return parse_shape(text);
}

}  // namespace

MatrixModifiers matrix_modifiers(Binding& binding, bool moves_bytes) {
  const ModifierSet given =
      binding.read_all({.words = words,
                        .lists = kinds(Kind::row_major, Kind::type, Kind::later),
                        .types = static_cast<int>(Kind::type),
                        .other = other_word});
  for (const Kind kind : {Kind::bytes, Kind::packed})
    if (const Modifier* word = given.find(static_cast<int>(kind)); word != nullptr && !moves_bytes)
      binding.refuse(say("'.", word->text, "' is of ldmatrix and stmatrix"));
  if (const Modifier* later = given.find(static_cast<int>(Kind::later)); later != nullptr)
    binding.refuse(say("'.", later->text, "' is of sm_100 and later"));
  if (!given.has(Kind::sync) || !given.has(Kind::aligned))
    binding.refuse("'.sync.aligned' is missing");
  if (given.has(Kind::popc) != given.has(Kind::bits))
    binding.refuse("'.xor' or '.and' goes with '.popc'");
  MatrixModifiers all;
  all.sparse = given.has(Kind::sparse);
  all.saturate = given.has(Kind::saturate);
  all.transposed = given.has(Kind::transposed);
  all.rounds = given.has(Kind::round);
  all.round = given.get(Kind::round, Round::rn);
  all.bits = given.get(Kind::bits, BitOperation::none);
  const int shape = given.get(Kind::shape, 0);
  constexpr int mask = (1 << shape_bits) - 1;
  all.m = shape & mask;
  all.n = shape >> shape_bits & mask;
  all.k = shape >> 2 * shape_bits & mask;
  all.count = given.get(Kind::count, std::uint8_t{0});
  all.role = given.get(Kind::role, '\0');
  all.space = given.get(Kind::space, ptx::Space::none);
  all.row_major = given.all<bool>(Kind::row_major);
  all.types = given.all<Type>(Kind::type);
  all.bytes = given.has(Kind::bytes);
  all.unpacks = given.get(Kind::bytes, false);
  all.packed = given.get(Kind::packed, Packed::none);
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

}  // namespace aisp::sim
