// wgmma and its registers: accumulators and register A belong to the product until it has been
// waited for, and what lanes wrote into them has to be fenced before it starts.
#include <algorithm>
#include <span>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

std::span<const Ref> registers_of(const Program& program, const Op& product) {
  return {program.lists.data() + product.list, product.list_size};
}

bool holds(std::span<const Ref> list, Ref ref) {
  return ref != no_ref && std::find(list.begin(), list.end(), ref) != list.end();
}

// Written first, then read.
struct Operands {
  std::vector<Ref> written, read;
};

Operands operands_of(const Program& program, const Op& op) {
  Operands found;
  for (const Ref ref : {op.dst, op.dst2})
    if (ref != no_ref) found.written.push_back(ref);
  for (const Ref ref : {op.a, op.b, op.c, op.d})
    if (ref != no_ref) found.read.push_back(ref);
  const auto list = registers_of(program, op);
  auto& listed = op.kind == OpClass::load ? found.written : found.read;
  listed.insert(listed.end(), list.begin(), list.end());
  return found;
}

}  // namespace

void GridWatch::wgmma_fence(Warp& warp) {
  WarpWatch& self = of(warp);
  self.product_fenced = true;
  self.changed.clear();
}

void GridWatch::product_issued(Warp& warp, const Op& op) {
  WarpWatch& self = of(warp);
  const std::uint32_t pc = self.pc();
  const auto used = registers_of(*warp.program, op);
  const auto changed =
      std::find_if(self.changed.begin(), self.changed.end(),
                   [&](const RegisterChange& change) { return holds(used, change.ref); });
  const bool dirty = changed != self.changed.end();
  if (dirty || !self.product_fenced) {
    const std::uint32_t before = dirty ? changed->pc : pc;
    if (!known(HazardRule::wgmma_fence, before, pc)) {
      std::vector<FindingPlace> places;
      if (dirty) places.push_back(place_here(self, -1, before, "write of a register"));
      places.push_back(place_here(self, -1, pc, "wgmma.mma_async"));
      add(HazardRule::wgmma_fence,
          dirty ? "wgmma uses a register that was written without a wgmma.fence in between"
                : "the first wgmma of the warp comes without a wgmma.fence",
          "wgmma reads and writes registers asynchronously; wgmma.fence orders them after the "
          "warp's own accesses",
          "wgmma.fence.sync.aligned before the first wgmma.mma_async, and after registers of its "
          "accumulator or of A were written",
          std::move(places), before, pc);
    }
    self.changed.clear();
    self.product_fenced = true;
  }
  self.in_flight.push_back({&op, pc, self.product_group, self.products + 1});
  self.product_issued_at = self.executed = self.now++;
}

// The compiler moves accumulators around wgmma to its liking, and the assembler takes that out
// again. A move that gives a register of A a new value is the program's own.
void GridWatch::moved_register(WarpWatch& self, const Op& op, std::uint32_t pc) {
  constexpr std::size_t a_registers = 4;
  for (const ProductInFlight& product : self.in_flight) {
    const auto used = registers_of(*self.warp->program, *product.op);
    const bool has_a = product.op->a == no_ref && used.size() > a_registers;
    if (!has_a || !holds(used.last(a_registers), op.dst)) continue;
    report_register(self, product, pc, "write");
    return;
  }
}

void GridWatch::report_register(WarpWatch& self, const ProductInFlight& product, std::uint32_t pc,
                                const std::string& what) {
  const Event first =
      event_of(*self.block, self.own(Channel::product), 0, product.number, product.pc);
  const FindingNumber from = root_of_register(self, first, pc);
  if (!known(HazardRule::wgmma_registers, product.pc, pc, Reach::unknown, from))
    add(HazardRule::wgmma_registers,
        say(what, " of a register of a wgmma that has not been waited for"),
        "the product may still be running: its accumulators and its registers of A are its own "
        "until wgmma.wait_group",
        "wgmma.commit_group and wgmma.wait_group before the registers are touched",
        {place_here(self, -1, product.pc, "wgmma.mma_async"),
         place_here(self, -1, pc, what + " of one of its registers")},
        product.pc, pc, Reach::unknown, "", false, from);
  note_edge(HazardRule::wgmma_registers, first,
            {.actor = self.actor, .lanes = all_lanes, .time = self.now, .pc = pc}, from);
}

void GridWatch::product_register(Warp& warp, const Op& op, Mask) {
  WarpWatch& self = of(warp);
  const std::uint32_t pc = self.pc();
  if (op.drains_products) return moved_register(self, op, pc);
  const Operands operands = operands_of(*warp.program, op);
  for (const ProductInFlight& product : self.in_flight) {
    const auto used = registers_of(*warp.program, *product.op);
    const auto touched = [&](Ref ref) { return holds(used, ref); };
    const bool writes = std::any_of(operands.written.begin(), operands.written.end(), touched);
    const bool reads = std::any_of(operands.read.begin(), operands.read.end(), touched);
    if (!writes && !reads) continue;
    report_register(self, product, pc, writes ? "write" : "read");
    break;
  }
  for (const Ref ref : operands.written) {
    const auto same = [&](const RegisterChange& change) { return change.ref == ref; };
    if (std::none_of(self.changed.begin(), self.changed.end(), same))
      self.changed.push_back({ref, pc});
  }
}

}  // namespace aisp::sim::watch
