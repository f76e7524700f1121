// Where a score stands: what score and mask functions are given, and what a kernel adds to it.
#pragma once

#include <array>
#include <string_view>

#include "jit/ir/function.hpp"

namespace aisp::jit {

// `at` of a score or mask function. A query's position counts along the keys of its sequence, the
// last query beside the last key, so that one function serves prefill and decoding.
template <class Value>
struct ScorePosition {
  Value sequence, head;      // of the batch; of the queries
  Value query, key;          // in their sequence
  Value query_row, key_row;  // in packed tensors; else the row of the query and the key itself
  Value queries, keys;       // how many the sequence has
};

// The arguments of a traced function, in this order.
enum class Given {
  score,  // scaled; behind normal_form() the product as the matrix unit gives it
  sequence,
  head,
  query,
  key,
  query_row,
  key_row,
  queries,
  keys,
  // of a kernel
  first_query,      // of the tile
  first_query_row,  // its row
  scale,            // of scores
  inverse_scale,
};
inline constexpr int given_count = static_cast<int>(Given::inverse_scale) + 1;
inline constexpr int given_to_users = static_cast<int>(Given::keys) + 1;

inline constexpr std::array<std::string_view, given_count> given_names{
    "score",   "sequence", "head",        "query",           "key",   "query_row",    "key_row",
    "queries", "keys",     "first_query", "first_query_row", "scale", "inverse_scale"};

inline bool is_float(Given given) {
  return given == Given::score || given == Given::scale || given == Given::inverse_scale;
}

// A function of a score and its position: its body's arguments are those of Given, and it yields
// the new score and whether the query sees the key.
inline Id argument(const Function& function, Given given) {
  return function.body.arguments[static_cast<std::size_t>(given)];
}
inline Id score_of(const Function& function) { return function.body.body.back().operands[0]; }
inline Id mask_of(const Function& function) { return function.body.body.back().operands[1]; }

}  // namespace aisp::jit
