// The values that kernels set to choose what a conditional graph node runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace aisp::sim {

struct Graph;  // only ever compared

// Behind a cudaGraphConditionalHandle. It lives as long as a graph, or an executable made of it.
struct Condition {
  std::uint64_t handle = 0;
  const Graph* graph = nullptr;  // that it was made for
  std::uint32_t first = 0;       // what it is at the start of that graph, if it starts_anew
  bool starts_anew = false;
  std::atomic<std::uint32_t> value{0};
};

std::shared_ptr<Condition> make_condition(const Graph& graph, std::uint32_t first, bool anew);
std::shared_ptr<Condition> find_condition(std::uint64_t handle);  // null: there is none

// cudaGraphSetConditional, as kernels call it. False: there is no such handle.
bool set_condition(std::uint64_t handle, std::uint32_t value);

}  // namespace aisp::sim
