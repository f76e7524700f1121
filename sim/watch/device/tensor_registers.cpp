// Registers of tcgen05.ld: which of them have been read. A read waits for the load, so that the
// columns of a load whose registers have all been read are free, wait::ld or not.
#include <algorithm>
#include <span>

#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

std::span<const Ref> list_of(const Warp& warp, const Op& op) {
  return {warp.list(op), op.list_size};
}

void start_load(WarpWatch& self, const Op& op) {
  const auto registers = list_of(*self.warp, op).subspan(op.target);
  self.last_load = std::make_shared<LoadRegisters>();
  self.last_load->reads.resize(registers.size());
  for (std::size_t i = 0; i < registers.size(); ++i)
    self.load_holders[registers[i]] = {{self.last_load, i}};
}

// mov hands values on, packed or not; the assembler removes it.
void copy_values(WarpWatch& self, const Op& op, bool whole) {
  const auto list = list_of(*self.warp, op);
  const bool unpacks = op.dst == no_ref;
  LoadHolders values;
  const auto take = [&](Ref from) {
    if (const auto found = self.load_holders.find(from); found != self.load_holders.end())
      values.insert(values.end(), found->second.begin(), found->second.end());
  };
  take(op.a);
  if (!unpacks)
    for (const Ref ref : list) take(ref);
  const auto give = [&](Ref to, const LoadHolders& what) {
    if (to == no_ref) return;
    LoadHolders& held = self.load_holders[to];
    if (whole) held.clear();
    held.insert(held.end(), what.begin(), what.end());
  };
  if (!unpacks) return give(op.dst, values);
  for (std::size_t i = 0; i < list.size(); ++i)  // as many as were packed: each its own
    give(list[i], values.size() == list.size() ? LoadHolders{values[i]} : values);
}

}  // namespace

void GridWatch::load_register(Warp& warp, const Op& op, Mask mask) {
  WarpWatch& self = of(warp);
  if (op.defers_results) start_load(self, op);
  if (op.defers_results || self.load_holders.empty()) return;
  const bool whole = (warp.alive & ~mask) == 0;
  if (op.copies_load) return copy_values(self, op, whole);
  const auto read = [&](Ref ref) {
    const auto found = self.load_holders.find(ref);
    if (found == self.load_holders.end()) return;
    for (const LoadHolder& holder : found->second) {
      LoadRegisters::Read& at = holder.load->reads[holder.index];
      if ((mask & ~at.lanes) == 0) continue;
      at.lanes |= mask;
      at.time = self.now;
    }
  };
  for (const Ref ref : {op.a, op.b, op.c, op.d, op.guard}) read(ref);
  const auto list = list_of(warp, op);
  const bool writes_list = op.kind == OpClass::load;
  if (!writes_list) std::for_each(list.begin(), list.end(), read);
  if (!whole) return;
  for (const Ref ref : {op.dst, op.dst2}) self.load_holders.erase(ref);
  if (writes_list)
    for (const Ref ref : list) self.load_holders.erase(ref);
}

}  // namespace aisp::sim::watch
