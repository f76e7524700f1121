// Directed graphs in compressed rows, the same on every machine.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/programs/check.hpp"

struct Graph {
  int nodes = 0;
  std::vector<int> first, to;  // edges of node i: to[first[i]] to to[first[i + 1] - 1], sorted
  int edges() const { return static_cast<int>(to.size()); }
};

inline Graph from_pairs(int nodes, std::vector<std::pair<int, int>> pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Graph graph{nodes, std::vector<int>(nodes + 1), {}};
  for (const auto& [from, to] : pairs) {
    ++graph.first[from + 1];
    graph.to.push_back(to);
  }
  for (int i = 0; i < nodes; ++i) graph.first[i + 1] += graph.first[i];
  return graph;
}

// Few hubs and many nodes with few edges; no loops. With `both_ways` every edge has its reverse.
inline Graph random_graph(int nodes, int edges, unsigned seed, bool both_ways) {
  const auto raw = numbers(3 * static_cast<std::size_t>(edges), seed);
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < edges; ++i) {
    const int from = static_cast<int>((raw[3 * i] >> 8) % nodes);
    int to = static_cast<int>((raw[3 * i + 1] >> 8) % nodes);
    if (raw[3 * i + 2] >> 30 == 0) to %= 7;  // a hub
    if (from == to) continue;
    pairs.emplace_back(from, to);
    if (both_ways) pairs.emplace_back(to, from);
  }
  return from_pairs(nodes, std::move(pairs));
}
