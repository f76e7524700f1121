// The names of an enumeration's values, once: whoever writes, reads or lists them looks into the
// same table. It stands beside the enumeration, in its namespace:
//
//   enum class Timer { events, graph };
//   constexpr auto names_of(Timer) {
//     return std::to_array<Name<Timer>>({{Timer::events, "events"}, {Timer::graph, "graph"}});
//   }
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace aisp::lab {

template <class E>
struct Name {
  E value;
  std::string_view text;
};

template <class E>
concept Named = std::is_enum_v<E> && requires(E value) {
  names_of(value).front().text;
};

template <Named E>
constexpr std::string_view name_of(E value) {
  for (const auto& name : names_of(value))
    if (name.value == value) return name.text;
  return "";
}

// "" for none.
template <Named E>
constexpr std::string_view name_of(const std::optional<E>& value) {
  return value ? name_of(*value) : "";
}

// Nothing for a word that is not in the table.
template <Named E>
constexpr std::optional<E> value_named(std::string_view text) {
  for (const auto& name : names_of(E{}))
    if (name.text == text) return name.value;
  return std::nullopt;
}

// In the order of the table.
template <Named E>
std::vector<std::string> all_names() {
  std::vector<std::string> words;
  for (const auto& name : names_of(E{})) words.emplace_back(name.text);
  return words;
}

}  // namespace aisp::lab
