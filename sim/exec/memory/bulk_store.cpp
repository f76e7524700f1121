// st.bulk: a thread fills a piece of its block's shared memory with zeros.
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/memory/memory.hpp"
#include "sim/machine/observer.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr std::uint64_t unit = 8;  // bytes: alignment and granularity

struct FillForm {
  AddressSlots slots;
  CopySpace space = CopySpace::generic;
};

void tell(Warp& warp, int lane, std::byte* from, std::uint64_t bytes) {
  std::byte* at[lanes] = {};
  for (std::uint64_t done = 0; done < bytes; done += unit) {
    at[lane] = from + done;
    warp.observer->access(warp, Mask{1} << lane, at,
                          {.access = Access::write, .bytes = static_cast<std::uint32_t>(unit)});
  }
}

Flow run_fill(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<FillForm>(op);
  each_lane_checked(mask, [&](int lane) {
    const std::uint64_t bytes = warp.read<std::uint64_t>(op.a)[lane];
    const std::uint32_t address = lane_shared(warp, op, 0, lane, form.space);
    if (bytes % unit != 0)
      misuse(say("st.bulk of ", bytes, " bytes: it must be a multiple of ", unit), bytes);
    if (address % unit != 0)
      throw Fault{FaultKind::misaligned,
                  say("st.bulk at shared address ", address, ": it must be a multiple of ", unit),
                  address, lane};
    if (address >> shared_rank_shift != warp.block->rank)
      misuse(say("st.bulk names block ", address >> shared_rank_shift,
                 " of the cluster, the thread is in block ", warp.block->rank),
             address);
    if (bytes == 0) return;
    std::byte* const to = resolve_shared(*warp.block, address, bytes, Access::write);
    if (warp.observer != nullptr) tell(warp, lane, to, bytes);
    std::memset(to, 0, bytes);
    warp.counters->shared_written += bytes;
  });
  return Flow::next;
}

}  // namespace

void bind_bulk_fill(Binding& b) {
  b.accept("weak");
  FillForm form;
  if (b.accept_any({"shared", "shared::cta"})) form.space = CopySpace::shared_cta;
  b.expect_operands(3, 3);
  if (!b.is_constant(b.operand(2)) || b.constant(b.operand(2)) != 0)
    b.refuse("the value that st.bulk writes is 0");
  b.ignore(b.operand(2));
  if (b.is_constant(b.operand(1)) && b.constant(b.operand(1)) % static_cast<int>(unit) != 0)
    b.refuse(say("st.bulk of ", b.constant(b.operand(1)), " bytes: multiples of ", unit));
  bind_address(b, form.slots, 0, b.operand(0), ptx::Space::shared);
  b.op.a = b.read(1, Type::u64);
  set_form(b.op, form);
  b.op.run = run_fill;
}

}  // namespace aisp::sim
