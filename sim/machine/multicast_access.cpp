#include "sim/machine/multicast_access.hpp"

#include <algorithm>

#include "base/refuse.hpp"

namespace aisp::sim {
namespace {

using base::say;

[[noreturn]] void fail(FaultKind kind, std::uint64_t address, int lane, const std::string& text) {
  throw Fault{kind, "multimem: " + text, address, lane};
}

const MulticastPart* part_of(const MulticastRange& range, int device, std::uint64_t offset,
                             std::uint64_t bytes) {
  const auto found = std::find_if(range.parts.begin(), range.parts.end(), [&](const auto& part) {
    return part.device == device && offset >= part.offset &&
           offset + bytes <= part.offset + part.bytes;
  });
  return found == range.parts.end() ? nullptr : &*found;
}

}  // namespace

int resolve_multicast(Warp& warp, const MulticastTable& table, std::uint64_t address,
                      std::uint32_t bytes, Access access, int lane, std::byte** at) {
  const Grid& grid = *warp.block->grid;
  const std::string what = access_text(access, bytes, address);
  if ((address & (bytes - 1)) != 0)
    fail(FaultKind::misaligned, address, lane,
         say("misaligned ", what, ": the address must be a multiple of ", bytes));
  const MulticastRange* range = multicast_at(table, address);
  if (range == nullptr)
    fail(FaultKind::out_of_bounds, address, lane,
         say(what, ", ", grid.memory->describe(address, bytes),
             ": it takes addresses at which cuMemMap has put an object of cuMulticastCreate"));
  const std::uint64_t offset = address - range->base;
  const auto name = [&] { return say("multicast object ", range->object); };
  if (((access == Access::read ? range->reach : range->writers) >> grid.ordinal & 1) == 0)
    fail(FaultKind::no_peer_access, address, lane,
         say(what, " of ", name(), ": cuMemSetAccess has not let device ", grid.ordinal,
             access == Access::read ? " read it" : " write it"));
  if (bytes > range->bytes - offset)
    fail(FaultKind::out_of_bounds, address, lane,
         say(what, ": ", name(), " ends ", range->bytes - offset, " bytes behind that"));
  int count = 0;
  for (const int device : range->team) {
    const MulticastPart* part = part_of(*range, device, offset, bytes);
    if (part == nullptr)
      fail(FaultKind::out_of_bounds, address, lane,
           say(what, ", ", offset, " bytes into ", name(), ": no memory of device ", device,
               " is bound there (cuMulticastBindMem)"));
    at[count++] = reinterpret_cast<std::byte*>(part->address + (offset - part->offset));
  }
  return count;
}

}  // namespace aisp::sim
