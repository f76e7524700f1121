// Values of PTX types as text and bits.
#pragma once

#include <optional>
#include <string>

#include "tests/sim/support/experiment.hpp"

namespace aisp::experiments {

int bytes_of(sim::Type type);  // in memory; a predicate is kept as a 32-bit word
// "40", "-3", "0xff", "1.5", "inf", "nan". Throws std::runtime_error on nonsense.
Value parse_value(sim::Type type, const std::string& text);
std::string show(sim::Type type, Value value);
// Distance in units of the last place; nothing when one is NaN and the other is not.
std::optional<std::uint64_t> distance(sim::Type type, Value a, Value b);
double number(sim::Type type, Value value);  // of a floating-point type
bool is_nan(sim::Type type, Value value);

enum class Draw { bits, ordinary, unit };
Value draw(sim::Type type, Draw how, std::uint64_t& state);

void store(std::vector<std::byte>& bytes, std::size_t offset, sim::Type type, Value value);
Value load(const std::vector<std::byte>& bytes, std::size_t offset, sim::Type type);

}  // namespace aisp::experiments
