// A kernel on a multicast object, without a driver that would make one.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "tests/sim/support/exec_kernel.hpp"

namespace aisp::multicast_rig {

inline constexpr int team = 3, lanes_used = 32;
inline constexpr std::size_t page = 4096;

// A multicast object of `team` devices, each with a page of memory, and a kernel of device 0 on it:
// %d0 is the multicast address, %d1 a buffer for results.
struct Rig {
  sim::Memory memory{1 << 24, team};
  std::byte* of_device[team];
  std::byte* out = nullptr;
  sim::MulticastRange range;

  Rig() {
    range.base = memory.reserve_range(page, page);
    range.bytes = page;
    range.object = 7;
    range.reach = range.writers = (1u << team) - 1;
    range.team = {1, 2, 0};
    for (int device = 0; device < team; ++device) {
      of_device[device] =
          static_cast<std::byte*>(memory.allocate_on(device, page, sim::MemoryKind::device));
      range.parts.push_back({device, 0, page, reinterpret_cast<std::uint64_t>(of_device[device])});
    }
    out = static_cast<std::byte*>(memory.allocate(page, sim::MemoryKind::device));
    std::memset(out, 0xff, page);
  }

  // What stopped it, or nothing.
  std::string run(const std::string& body, sim::Observer* observer = nullptr) {
    memory.show_multicast(std::make_shared<sim::MulticastTable>(sim::MulticastTable{range}));
    const exec_kernel::Kernel kernel{.body = ".reg .b8 %c<9>;\n" + body, .target = "sm_100a"};
    const sim::Program program = exec_kernel::load(kernel, memory);
    const std::uint64_t params[] = {range.base, reinterpret_cast<std::uint64_t>(out)};
    const sim::LaunchResult result =
        sim::launch(program, *program.kernel(kernel.name), sim::device_model("b200"), memory, {},
                    {.grid = {1}, .block = {lanes_used}, .observer = observer},
                    std::as_bytes(std::span(params)), 0);
    return result.fault ? result.fault->text : "";
  }
};

}  // namespace aisp::multicast_rig
