#include "tests/sim/support/values.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "base/number/format.hpp"
#include "sim/machine/async.hpp"

namespace aisp::experiments {
namespace {

using sim::Type;

std::optional<double> as_number(Type type, Value value) {
  const auto word = static_cast<std::uint32_t>(value.low);
  switch (type) {
    case Type::f16:
      return base::decode<base::f16>(word & 0xffff);
    case Type::bf16:
      return base::decode<base::bf16>(word & 0xffff);
    case Type::f32:
    case Type::tf32:
      return std::bit_cast<float>(word);
    case Type::f64:
      return std::bit_cast<double>(value.low);
    default:
      return {};
  }
}

Value from_number(Type type, double number) {
  switch (type) {
    case Type::f16:
      return {base::encode<base::f16>(number), 0};
    case Type::bf16:
      return {base::encode<base::bf16>(number), 0};
    case Type::f32:
    case Type::tf32:
      return {std::bit_cast<std::uint32_t>(static_cast<float>(number)), 0};
    case Type::f64:
      return {std::bit_cast<std::uint64_t>(number), 0};
    default:
      throw std::runtime_error("not a floating-point type");
  }
}

// What arithmetic makes of no number.
Value canonical_nan(Type type) {
  switch (type) {
    case Type::f16:
    case Type::bf16:
      return {0x7fff, 0};
    case Type::f64:
      return {0xfff8000000000000ull, 0};
    default:
      return {0x7fffffff, 0};
  }
}

std::uint64_t width_mask(Type type) {
  const int bits = bytes_of(type) * 8;
  return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

std::uint64_t hex_digits(const std::string& text) {
  return text.empty() ? 0 : std::stoull(text, nullptr, 16);
}

// Codes in the order of the numbers they stand for, so that neighbours differ by one.
std::int64_t ordered(Type type, Value value) {
  const int bits = bytes_of(type) * 8;
  const std::uint64_t sign = 1ull << (bits - 1);
  const auto magnitude = static_cast<std::int64_t>(value.low & (sign - 1));
  return (value.low & sign) != 0 ? -magnitude : magnitude;
}

}  // namespace

int bytes_of(Type type) { return type == Type::pred ? 4 : std::max(8, sim::bits_of(type)) / 8; }

double number(Type type, Value value) { return as_number(type, value).value_or(std::nan("")); }

bool is_nan(Type type, Value value) {
  const auto number = as_number(type, value);
  return number && std::isnan(*number);
}

Value parse_value(Type type, const std::string& text) {
  try {
    if (text.starts_with("0x")) {
      const std::string digits = text.substr(2);
      if (digits.size() <= 16) return {hex_digits(digits) & width_mask(type), 0};
      return {hex_digits(digits.substr(digits.size() - 16)),
              hex_digits(digits.substr(0, digits.size() - 16))};
    }
    if (as_number(type, {})) {
      if (text == "nan") return canonical_nan(type);
      std::size_t used = 0;
      const double number = std::stod(text, &used);
      if (used == text.size()) return from_number(type, number);
    } else {
      std::size_t used = 0;
      const std::uint64_t bits = text.starts_with("-")
                                     ? static_cast<std::uint64_t>(std::stoll(text, &used))
                                     : std::stoull(text, &used);
      if (used == text.size()) return {bits & width_mask(type), 0};
    }
  } catch (const std::logic_error&) {
  }
  throw std::runtime_error("'" + text + "' is not a value of type " + std::string(name_of(type)));
}

std::string show(Type type, Value value) {
  std::ostringstream text;
  text << "0x" << std::hex;
  if (value.high != 0) text << value.high << '_';
  text << value.low << std::dec;
  text.precision(17);
  if (const auto number = as_number(type, value)) text << " (" << *number << ")";
  return text.str();
}

std::optional<std::uint64_t> distance(Type type, Value a, Value b) {
  if (a == b) return 0;
  if (is_nan(type, a) != is_nan(type, b) || !as_number(type, a)) return {};
  const std::int64_t difference = ordered(type, a) - ordered(type, b);
  return static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
}

Value draw(Type type, Draw how, std::uint64_t& state) {
  Value value{sim::next_random(state), 0};
  if (type == Type::pred) return {value.low & 1, 0};
  if (type == Type::b128) return {value.low, sim::next_random(state)};
  if (how != Draw::bits && as_number(type, {})) {
    double number = static_cast<double>(value.low >> 11) * 0x1p-53 * 2 - 1;
    if (how == Draw::ordinary)
      number = std::ldexp(number, static_cast<int>(sim::next_random(state) % 24) - 12);
    return from_number(type, number);
  }
  // One in eight is an extreme: those are where rules differ.
  static constexpr std::uint64_t extremes[] = {
      0,          1,     ~0ull, 0x8000000080008000ull, 0x7fffffff7fff7fffull, 0x3f8000003f803c00ull,
      0x7f800000, 0x7c00};
  if (sim::next_random(state) % 8 == 0)
    value.low = extremes[sim::next_random(state) % std::size(extremes)];
  return {value.low & width_mask(type), 0};
}

void store(std::vector<std::byte>& bytes, std::size_t offset, Type type, Value value) {
  const auto size = static_cast<std::size_t>(bytes_of(type));
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  std::memcpy(bytes.data() + offset, &value.low, std::min<std::size_t>(size, 8));
  if (size > 8) std::memcpy(bytes.data() + offset + 8, &value.high, size - 8);
}

Value load(const std::vector<std::byte>& bytes, std::size_t offset, Type type) {
  const auto size = static_cast<std::size_t>(bytes_of(type));
  Value value;
  std::memcpy(&value.low, bytes.data() + offset, std::min<std::size_t>(size, 8));
  if (size > 8) std::memcpy(&value.high, bytes.data() + offset + 8, size - 8);
  return value;
}

}  // namespace aisp::experiments
