// Every access of a handler to memory goes through here: checks, counts, and the places where
// observers look on.
#pragma once

#include <cstdint>
#include <string>

#include "sim/machine/observer.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

// Host pointer to `bytes` at `address` of the lane, or throws Fault (bounds, alignment, lifetime,
// constness). `space` none is generic; shared takes 32-bit addresses with the cluster rank in the
// top byte. `align` is what the instruction asks for.
std::byte* resolve(Warp& warp, ptx::Space space, std::uint64_t address, std::uint32_t bytes,
                   std::uint32_t align, Access access, int lane);

std::string access_text(Access access, std::uint64_t bytes, std::uint64_t address);  // in a report

// The same for asynchronous operations, which no lane performs.
std::byte* resolve_global(Grid& grid, std::uint64_t address, std::uint64_t bytes, Access access);
// 32-bit shared::cluster address -> the block it lies in and a checked pointer.
Block& shared_owner(Block& from, std::uint32_t address);
std::byte* resolve_shared(Block& from, std::uint32_t address, std::uint64_t bytes, Access access);

// True when all lanes of `mask` may access `bytes` at their address directly as this pointer value
// (global memory, inside the warp's cached allocation, aligned). Refills the cache once.
bool direct_global(Warp& warp, const std::uint64_t* addresses, std::int64_t offset,
                   std::uint32_t bytes, Access access, Mask mask);

// True when all of `bytes` at `address` lie in one allocation that may be accessed so.
bool direct_range(Warp& warp, std::uint64_t address, std::uint64_t bytes, Access access);

// Shared address of an mbarrier -> its object; faults when misaligned or out of bounds.
std::uint64_t* mbarrier_at(Block& from, std::uint32_t address);

}  // namespace aisp::sim
