// How many blocks of a kernel one SM holds at once, by the rules of the hardware: warps, blocks,
// registers allocated per warp, shared memory with what the system keeps of it.
#include <algorithm>

#include "sim/launch/launch.hpp"

namespace aisp::sim {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Occupancy occupancy(const DeviceModel& device, const Routine& kernel, std::uint32_t threads,
                    std::uint32_t dynamic_shared) {
  const std::int64_t warps = std::max<std::int64_t>(1, round_up(threads, lanes) / lanes);
  std::int64_t registers = std::max(kernel.registers_32, 16);
  if (kernel.max_registers > 0) registers = std::min<std::int64_t>(registers, kernel.max_registers);
  // A kernel is compiled to fit: what its block may hold, in units of 8, is the most it can use.
  const std::int64_t block_threads = std::max<std::int64_t>(kernel.max_threads, threads);
  registers = std::min<std::int64_t>(
      {registers, device.max_registers_per_thread,
       std::max<std::int64_t>(16,
                              device.registers_per_sm / round_up(block_threads, lanes) / 8 * 8)});
  const std::int64_t per_warp = round_up(round_up(registers, 8) * lanes, device.register_unit);
  const std::int64_t shared =
      round_up(device.shared_reserved + kernel.static_shared + dynamic_shared, device.shared_unit);
  std::int64_t blocks = std::min<std::int64_t>(device.blocks_per_sm, device.warps_per_sm / warps);
  // Each of the four partitions of an SM has its own registers: a warp must fit into one.
  blocks = std::min(blocks, device.registers_per_sm / 4 / per_warp * 4 / warps);
  blocks = std::min(blocks, device.shared_per_sm / std::max<std::int64_t>(shared, 1));
  return {static_cast<int>(blocks), static_cast<int>(blocks * device.multiprocessors)};
}

}  // namespace aisp::sim
