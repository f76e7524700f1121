// Where a block works, loops with carried values, and numbers that tuning may set.
#pragma once

#include <array>
#include <functional>
#include <tuple>
#include <utility>

#include "jit/trace/derived.hpp"

namespace aisp::jit {

namespace detail {
std::vector<Id> traced_loop(Id extent, Id step, std::vector<Id> carried,
                            const std::function<std::vector<Id>(const std::vector<Id>&)>& body,
                            const std::source_location& at);
}  // namespace detail

// The start of this block's part of the extent; one block per `size` elements.
Index blocks(Index extent, Size size, std::source_location at = std::source_location::current());
template <std::size_t count>
std::array<Index, count> blocks(const Index (&extents)[count], const Size (&sizes)[count],
                                std::source_location at = std::source_location::current()) {
  return [&]<std::size_t... axis>(std::index_sequence<axis...>) {
    return std::array<Index, count>{blocks(extents[axis], sizes[axis], at)...};
  }
  (std::make_index_sequence<count>());
}

// The first candidate, unless the call sets it.
Index choice(const std::string& name, std::initializer_list<int> candidates,
             std::source_location at = std::source_location::current());

// body(counter, carried) gives what the next turn carries; counter = 0, step, 2 step, … < extent.
template <class Body>
Tile loop(IndexArg extent, IndexArg step, Tile carried, Body body,
          std::source_location at = std::source_location::current()) {
  return Tile(detail::traced_loop(
      extent.id(), step.id(), {carried.id()},
      [&](const std::vector<Id>& in) {
        return std::vector<Id>{Tile(body(Index(in[0]), Tile(in[1]))).id()};
      },
      at)[0]);
}
// Two carried values.
template <class Body>
std::tuple<Tile, Tile> loop(IndexArg extent, IndexArg step, std::tuple<Tile, Tile> carried,
                            Body body, std::source_location at = std::source_location::current()) {
  const std::vector<Id> results = detail::traced_loop(
      extent.id(), step.id(), {std::get<0>(carried).id(), std::get<1>(carried).id()},
      [&](const std::vector<Id>& in) {
        const std::tuple<Tile, Tile> next = body(Index(in[0]), Tile(in[1]), Tile(in[2]));
        return std::vector<Id>{std::get<0>(next).id(), std::get<1>(next).id()};
      },
      at);
  return {Tile(results[0]), Tile(results[1])};
}

}  // namespace aisp::jit
