// Kernels of a few lines of PTX, run before the eyes of the simulator's recorder, and the graph
// that the lab makes of its record.
#pragma once

#include <string>
#include <vector>

#include "base/refuse.hpp"
#include "lab/draw/make_sync_graph.hpp"
#include "sim/watch/sync/sync_recorder.hpp"
#include "tests/sim/support/exec_kernel.hpp"

namespace aisp::lab {

// The kernel's lines may say `.loc 1 N 0`: file 1 is ring.cu.
inline SyncRecord recorded(exec_kernel::Kernel kernel, const sim::Settings& settings = {}) {
  kernel.before = ".file 1 \"/src/ring.cu\"\n" + kernel.before;
  sim::Memory memory(1 << 24);
  const sim::Program program = exec_kernel::load(kernel, memory);
  const sim::Routine& routine = *program.kernel(kernel.name);
  const std::uint64_t pointers[] = {
      reinterpret_cast<std::uint64_t>(memory.allocate(4096, sim::MemoryKind::device)),
      reinterpret_cast<std::uint64_t>(memory.allocate(4096, sim::MemoryKind::device))};
  sim::watch::SyncRecorder recorder;
  sim::LaunchConfig config;
  config.grid = {.x = kernel.grid};
  config.block = {.x = kernel.block};
  config.cluster = {.x = kernel.cluster};
  config.explicit_cluster = kernel.cluster > 1;
  config.observer = &recorder;
  const auto result = sim::launch(program, routine, sim::device_model(kernel.device), memory,
                                  settings, config, std::as_bytes(std::span(pointers)), 0);
  SyncRecord record = sync_record_of(recorder.record(
      program, routine, {config.grid, config.block, config.cluster, config.dynamic_shared}));
  if (result.fault.has_value() != record.stopped)
    base::refuse(base::Exit::wrong, "the record hides a fault: ", result.fault->text);
  return record;
}

// The graph in lines: "role warp 0: bulk loads", "node full x2: count 1, 5 phases",
// "warp 0 -> full: arrive x5, expect 5 x 256 B".
inline std::vector<std::string> lines_of(const SyncGraph& graph) {
  std::vector<std::string> lines;
  for (const auto& role : graph.roles)
    lines.push_back("role " + role.who + (role.work.empty() ? "" : ": " + role.work));
  for (const auto& node : graph.nodes)
    lines.push_back(base::say("node ", node.name, " x", node.stages, ": ", node.counts));
  for (const auto& edge : graph.edges) {
    const std::string& role = graph.roles[edge.role].who;
    const std::string& node = graph.nodes[edge.node].name;
    std::string line = edge.arrow == SyncArrow::wait           ? node + " -> " + role
                       : edge.arrow == SyncArrow::meet         ? role + " <-> " + node
                       : edge.arrow == SyncArrow::asynchronous ? role + " ~> " + node
                                                               : role + " -> " + node;
    for (std::size_t i = 0; i < edge.lines.size(); ++i)
      line += (i == 0 ? ": " : ", ") + edge.lines[i];
    lines.push_back(std::move(line));
  }
  return lines;
}

inline std::vector<std::string> graph_lines(const exec_kernel::Kernel& kernel,
                                            const sim::Settings& settings = {}) {
  return lines_of(sync_graph_of(recorded(kernel, settings)));
}

}  // namespace aisp::lab
