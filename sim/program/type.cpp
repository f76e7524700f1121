#include "sim/program/type.hpp"

#include <array>
#include <unordered_map>

namespace aisp::sim {
namespace {

enum class Family : std::uint8_t { other, bits, unsigned_integer, signed_integer, floating };

struct Row {
  Type type;
  std::string_view name;
  int bits;
  Family family;
};

// In the order of the enumeration. Packed integers (u16x2) count as `other`: ptxas keeps them apart
// from plain integers of the same size.
constexpr std::array rows{
    Row{Type::none, "", 0, Family::other},
    Row{Type::pred, "pred", 1, Family::other},
    Row{Type::b1, "b1", 1, Family::bits},
    Row{Type::b4, "b4", 4, Family::bits},
    Row{Type::b8, "b8", 8, Family::bits},
    Row{Type::b16, "b16", 16, Family::bits},
    Row{Type::b32, "b32", 32, Family::bits},
    Row{Type::b64, "b64", 64, Family::bits},
    Row{Type::b128, "b128", 128, Family::bits},
    Row{Type::u2, "u2", 2, Family::unsigned_integer},
    Row{Type::u4, "u4", 4, Family::unsigned_integer},
    Row{Type::u8, "u8", 8, Family::unsigned_integer},
    Row{Type::u16, "u16", 16, Family::unsigned_integer},
    Row{Type::u32, "u32", 32, Family::unsigned_integer},
    Row{Type::u64, "u64", 64, Family::unsigned_integer},
    Row{Type::s2, "s2", 2, Family::signed_integer},
    Row{Type::s4, "s4", 4, Family::signed_integer},
    Row{Type::s8, "s8", 8, Family::signed_integer},
    Row{Type::s16, "s16", 16, Family::signed_integer},
    Row{Type::s32, "s32", 32, Family::signed_integer},
    Row{Type::s64, "s64", 64, Family::signed_integer},
    Row{Type::f16, "f16", 16, Family::floating},
    Row{Type::bf16, "bf16", 16, Family::floating},
    Row{Type::tf32, "tf32", 32, Family::floating},
    Row{Type::f32, "f32", 32, Family::floating},
    Row{Type::f64, "f64", 64, Family::floating},
    Row{Type::f16x2, "f16x2", 32, Family::floating},
    Row{Type::bf16x2, "bf16x2", 32, Family::floating},
    Row{Type::u16x2, "u16x2", 32, Family::other},
    Row{Type::s16x2, "s16x2", 32, Family::other},
    Row{Type::f32x2, "f32x2", 64, Family::floating},
    Row{Type::u8x4, "u8x4", 32, Family::other},
    Row{Type::s8x4, "s8x4", 32, Family::other},
    Row{Type::b8x4, "b8x4", 32, Family::other},
    Row{Type::e4m3, "e4m3", 8, Family::other},
    Row{Type::e5m2, "e5m2", 8, Family::other},
    Row{Type::e3m2, "e3m2", 8, Family::other},
    Row{Type::e2m3, "e2m3", 8, Family::other},
    Row{Type::e2m1, "e2m1", 4, Family::other},
    Row{Type::ue8m0, "ue8m0", 8, Family::other},
    Row{Type::ue4m3, "ue4m3", 8, Family::other},
    Row{Type::e4m3x2, "e4m3x2", 16, Family::other},
    Row{Type::e5m2x2, "e5m2x2", 16, Family::other},
    Row{Type::e3m2x2, "e3m2x2", 16, Family::other},
    Row{Type::e2m3x2, "e2m3x2", 16, Family::other},
    Row{Type::e2m1x2, "e2m1x2", 8, Family::other},
    Row{Type::ue8m0x2, "ue8m0x2", 16, Family::other},
    Row{Type::e4m3x4, "e4m3x4", 32, Family::other},
    Row{Type::e5m2x4, "e5m2x4", 32, Family::other},
    Row{Type::e3m2x4, "e3m2x4", 32, Family::other},
    Row{Type::e2m3x4, "e2m3x4", 32, Family::other},
    Row{Type::e2m1x4, "e2m1x4", 16, Family::other},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].type != static_cast<Type>(i)) return false;
  return true;
}
static_assert(in_order(), "a row's place is its type's number");
static_assert(rows.back().type == Type::e2m1x4, "every type has a row");

const Row& row(Type type) { return rows[static_cast<std::size_t>(type)]; }

}  // namespace

std::optional<Type> parse_type(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, Type> map;
    for (const Row& row : rows)
      if (row.type != Type::none) map.emplace(row.name, row.type);
    return map;
  }();
  const auto found = by_name.find(name);
  if (found == by_name.end()) return std::nullopt;
  return found->second;
}

std::string_view name_of(Type type) { return row(type).name; }
int bits_of(Type type) { return row(type).bits; }
bool is_signed(Type type) { return row(type).family == Family::signed_integer; }
bool is_integer(Type type) {
  return row(type).family == Family::signed_integer || row(type).family == Family::unsigned_integer;
}
bool is_float(Type type) { return row(type).family == Family::floating; }
bool is_bits(Type type) { return row(type).family == Family::bits; }

bool fits(Type declared, Type type, bool wider) {
  if (declared == Type::pred || type == Type::pred) return declared == type;
  const int have = bits_of(declared), need = bits_of(type);
  const bool plain = is_bits(type) || is_integer(type) || type == Type::f16 || type == Type::f32;
  if (have != need && !(wider && plain && have > need && have <= 64)) return false;
  const bool like_integer = is_integer(declared) || declared == Type::f16x2;
  return is_bits(declared) || is_bits(type) || (like_integer && is_integer(type)) ||
         declared == type;
}

}  // namespace aisp::sim
