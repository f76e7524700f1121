#include "sim/exec/memory/access.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/machine/wavefronts.hpp"

namespace aisp::sim {
namespace {

using base::say;

Where where_of(const Binding& binding, ptx::Space named, const BoundAddress& address) {
  const bool fixed = address.base == no_ref;
  switch (named) {
    case ptx::Space::none:
      if (address.space != ptx::Space::none && address.space != ptx::Space::global)
        binding.refuse("the variable's address is not a generic one: name its space");
      return Where::generic;
    case ptx::Space::global:
    case ptx::Space::constant:
      return Where::global;
    case ptx::Space::shared:
      return Where::shared;
    case ptx::Space::local:
      return fixed ? Where::frame : Where::local;
    case ptx::Space::param:
      if (fixed) return address.in_frame ? Where::frame : Where::bank;
      return Where::generic;  // what mov makes of the name
    default:
      binding.refuse("this space cannot be accessed");
  }
}

bool fits_space(ptx::Space named, ptx::Space variable) {
  return variable == ptx::Space::none || named == ptx::Space::none || named == variable;
}

void count(Warp& warp, Where where, Mask mask, std::uint32_t bytes, Access access) {
  Counters& counters = *warp.counters;
  const std::uint64_t total = std::uint64_t{bytes} * std::popcount(mask);
  std::uint64_t* read = &counters.global_read;
  std::uint64_t* written = &counters.global_written;
  if (where == Where::shared) {
    read = &counters.shared_read;
    written = &counters.shared_written;
  } else if (where == Where::local || where == Where::frame) {
    read = &counters.local_read;
    written = &counters.local_written;
  }
  if (access != Access::write) *read += total;
  if (access != Access::read) *written += total;
}

void resolve_each(Warp& warp, ptx::Space space, const std::uint64_t* addresses, Mask mask,
                  std::uint32_t bytes, Access access, std::byte** at) {
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    at[lane] = resolve(warp, space, addresses[lane], bytes, bytes, access, lane);
  }
}

[[noreturn]] void not_own_block(const Block& block, std::uint32_t address, int lane) {
  throw Fault{FaultKind::bad_address_space,
              say("shared address of block ", address >> shared_rank_shift, " of the cluster in ",
                  ".shared::cta: the executing block has rank ", block.rank,
                  ", others are reached with .shared::cluster"),
              address, lane};
}

// `addresses` are 32-bit shared addresses with the rank in the top byte.
void locate_shared(Warp& warp, const std::uint32_t* addresses, bool remote, Mask mask,
                   std::uint32_t bytes, Access access, std::byte** at) {
  const Block& block = *warp.block;
  const std::uint32_t own = block.rank << shared_rank_shift;
  const auto reserved = static_cast<std::uint32_t>(block.grid->device->shared_reserved);
  const std::uint32_t space = block.shared_bytes - reserved;
  std::uint32_t most = 0, bits = 0;
  each_lane(mask, [&](int lane) {
    const std::uint32_t offset = addresses[lane] - own - reserved;
    most = offset > most ? offset : most;
    bits |= addresses[lane];
  });
  if (warp.detailed) {
    count(warp, Where::shared, mask, bytes, access);
    warp.counters->bank_conflicts += extra_wavefronts(addresses, bytes, mask);
  }
  if (bytes <= space && most <= space - bytes && (bits & (bytes - 1)) == 0) {
    std::byte* const shared = block.shared - own;
    each_lane(mask, [&](int lane) { at[lane] = shared + addresses[lane]; });
    return;
  }
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint32_t address = addresses[lane];
    if (!remote && address >> shared_rank_shift != block.rank) not_own_block(block, address, lane);
    at[lane] = resolve(warp, ptx::Space::shared, address, bytes, bytes, access, lane);
  }
}

void locate_generic(Warp& warp, const std::uint64_t* addresses, Mask mask, std::uint32_t bytes,
                    Access access, std::byte** at) {
  const std::uint64_t shared = Windows::shared();
  const std::uint64_t first = addresses[std::countr_zero(mask) % lanes];
  if (Windows::in(shared, first)) {
    std::uint32_t offsets[lanes];
    bool all = true;
    each_lane(mask, [&](int lane) {
      offsets[lane] = static_cast<std::uint32_t>(addresses[lane] - shared);
      all &= Windows::in(shared, addresses[lane]);
    });
    if (all) return locate_shared(warp, offsets, true, mask, bytes, access, at);
  }
  const bool local = Windows::in(Windows::local(), first);
  if (warp.detailed) count(warp, local ? Where::local : Where::global, mask, bytes, access);
  if (!local && direct_global(warp, addresses, 0, bytes, access, mask)) {
    each_lane(mask, [&](int lane) { at[lane] = reinterpret_cast<std::byte*>(addresses[lane]); });
    return;
  }
  resolve_each(warp, ptx::Space::none, addresses, mask, bytes, access, at);
}

void locate_frame(Warp& warp, std::int64_t offset, Mask mask, std::uint32_t bytes, Access access,
                  std::byte** at) {
  const std::uint64_t start = warp.lane_group->frame_base + static_cast<std::uint64_t>(offset);
  if (start % bytes != 0 || start + bytes > warp.local_bytes)
    resolve(warp, ptx::Space::local, start, bytes, bytes, access, std::countr_zero(mask));
  std::byte* const first = warp.local + start;
  const std::size_t step = warp.local_bytes;
  each_lane(mask, [&](int lane) { at[lane] = first + step * lane; });
}

void locate_shared(Warp& warp, const Op& op, Mask mask, std::uint32_t bytes, Access access,
                   std::byte** at) {
  const auto form = form_of<AddressForm>(op);
  const auto offset = static_cast<std::uint32_t>(form.offset);
  std::uint32_t addresses[lanes];
  if (form.wide) {
    const auto* base = warp.read<std::uint64_t>(op.a);
    each_lane(mask,
              [&](int lane) { addresses[lane] = static_cast<std::uint32_t>(base[lane]) + offset; });
  } else {
    const auto* base = warp.read<std::uint32_t>(op.a);
    each_lane(mask, [&](int lane) { addresses[lane] = base[lane] + offset; });
  }
  locate_shared(warp, addresses, form.remote, mask, bytes, access, at);
}

template <class Address>
bool evenly_spaced(const Address* base, Address step) {
  if (base[2] - base[1] != step) return false;  // scattered lanes nearly always show it here
  Address expected = base[0], differs = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    differs |= base[lane] ^ expected;
    expected += step;
  }
  return differs == 0;
}

[[gnu::always_inline]] inline AccessForm access_form(const Warp& warp, const Op& op,
                                                     std::uint32_t bytes, Access access,
                                                     int elements) {
  const auto form = form_of<AddressForm>(op);
  AccessForm told{.access = access, .order = form.order, .scope = form.scope, .bytes = bytes};
  if (elements == 1 || form.order != MemoryOrder::weak) return told;
  told.elements = static_cast<std::uint8_t>(elements);
  told.wanted = 0;
  for (int element = 0; element < elements; ++element)
    if (warp.list(op)[element] != no_ref) told.wanted |= static_cast<std::uint8_t>(1u << element);
  return told;
}

bool in_bank(const Grid& grid, const std::byte* at) {
  return at >= grid.params && at < grid.params + grid.kernel->param_bytes;
}

[[gnu::noinline]] void find_lanes(Warp& warp, const Op& op, Mask mask, std::uint32_t bytes,
                                  Access access, std::byte** at) {
  const auto form = form_of<AddressForm>(op);
  const Where where = form.where;
  if (where == Where::shared) return locate_shared(warp, op, mask, bytes, access, at);
  if (where == Where::frame) {
    if (warp.detailed) count(warp, where, mask, bytes, access);
    return locate_frame(warp, form.offset, mask, bytes, access, at);
  }
  if (warp.detailed && where != Where::generic) count(warp, where, mask, bytes, access);
  if (where == Where::global && form.wide) {
    const auto* base = warp.read<std::uint64_t>(op.a);
    const std::int64_t offset = form.offset;
    if (direct_global(warp, base, offset, bytes, access, mask)) {
      each_lane(mask, [&](int lane) {
        at[lane] = reinterpret_cast<std::byte*>(base[lane] + static_cast<std::uint64_t>(offset));
      });
      return;
    }
  }
  std::uint64_t addresses[lanes];
  addresses_of(warp, op, mask, addresses);
  if (where == Where::generic) return locate_generic(warp, addresses, mask, bytes, access, at);
  const auto space = where == Where::local ? ptx::Space::local : ptx::Space::global;
  resolve_each(warp, space, addresses, mask, bytes, access, at);
}

[[gnu::always_inline]] inline LaneRun find_run(Warp& warp, const Op& op, std::uint32_t bytes,
                                               Access access) {
  const auto form = form_of<AddressForm>(op);
  const Where where = form.where;
  if (where > Where::shared) return {};
  std::uint64_t first, last;
  std::int64_t step;
  if (form.wide) {
    const auto* base = warp.read<std::uint64_t>(op.a);
    step = static_cast<std::int64_t>(base[1] - base[0]);
    if (!evenly_spaced(base, base[1] - base[0])) return {};
    first = base[0] + static_cast<std::uint64_t>(form.offset);
    last = base[lanes - 1] + static_cast<std::uint64_t>(form.offset);
  } else {
    const auto* base = warp.read<std::uint32_t>(op.a);
    step = static_cast<std::int32_t>(base[1] - base[0]);
    if (!evenly_spaced(base, base[1] - base[0])) return {};
    first = base[0] + static_cast<std::uint32_t>(form.offset);
    last = base[lanes - 1] + static_cast<std::uint32_t>(form.offset);
  }
  if (((first | static_cast<std::uint64_t>(step)) & (bytes - 1)) != 0) return {};
  // Where the ends are inside, so is what lies between, unless the steps go round an address space.
  constexpr std::int64_t longest_step = std::int64_t{1} << 48;
  if (step > longest_step || step < -longest_step ||
      static_cast<std::int64_t>(last - first) != step * (lanes - 1))
    return {};
  const std::uint64_t low = std::min(first, last), high = std::max(first, last);
  if (where != Where::shared)
    return direct_range(warp, low, high - low + bytes, access)
               ? LaneRun{reinterpret_cast<std::byte*>(first), step}
               : LaneRun{};
  const Block& block = *warp.block;
  const std::uint64_t own = std::uint64_t{block.rank} << shared_rank_shift;
  const auto reserved = static_cast<std::uint64_t>(block.grid->device->shared_reserved);
  if (low < own + reserved || high + bytes > own + block.shared_bytes) return {};
  return {block.shared + (first - own), step};
}

// The same with somebody looking on.
[[gnu::noinline]] void find_lanes_watched(Warp& warp, const Op& op, Mask mask, std::uint32_t bytes,
                                          Access access, std::byte** at, int elements) {
  const auto form = form_of<AddressForm>(op);
  find_lanes(warp, op, mask, bytes, access, at);
  if (form.is_constant())
    warp.observer->constant_read(warp, mask, at, bytes);
  else if (form.where == Where::shared)  // neither local memory nor parameters
    warp.observer->access(warp, mask, at, access_form(warp, op, bytes, access, elements));
  else if (form.where < Where::shared)
    tell_access(warp, mask, at, access_form(warp, op, bytes, access, elements));
}

}  // namespace

void addresses_of(const Warp& warp, const Op& op, Mask mask, std::uint64_t* addresses) {
  const auto form = form_of<AddressForm>(op);
  const auto offset = static_cast<std::uint64_t>(form.offset);
  if (form.wide) {
    const auto* base = warp.read<std::uint64_t>(op.a);
    each_lane(mask, [&](int lane) { addresses[lane] = base[lane] + offset; });
  } else {
    const auto* base = warp.read<std::uint32_t>(op.a);
    each_lane(mask,
              [&](int lane) { addresses[lane] = base[lane] + static_cast<std::uint32_t>(offset); });
  }
}

Flow tell_wrote(Warp& warp) {
  if (warp.observer->suspects) warp.observer->wrote(warp);
  return Flow::next;
}

void tell_access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) {
  const std::byte* const local = warp.local;
  const std::byte* const local_end = local + std::size_t{warp.local_bytes} * lanes;
  const Grid& grid = *warp.block->grid;
  if (mask == all_lanes) {  // mostly none is there, which takes no branches to find out
    const auto is_in = [](const std::byte* at, const std::byte* begin, std::uint64_t bytes) {
      return reinterpret_cast<std::uint64_t>(at) - reinterpret_cast<std::uint64_t>(begin) < bytes;
    };
    const std::uint64_t local_bytes = std::uint64_t{warp.local_bytes} * lanes;
    bool any = false;
    for (int lane = 0; lane < lanes; ++lane)
      any |= is_in(at[lane], local, local_bytes) |
             is_in(at[lane], grid.params, grid.kernel->param_bytes);
    if (!any) return warp.observer->access(warp, mask, at, form);
  }
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if ((at[lane] >= local && at[lane] < local_end) || in_bank(*warp.block->grid, at[lane]))
      mask &= ~(Mask{1} << lane);
  }
  if (mask != 0) warp.observer->access(warp, mask, at, form);
}

AddressForm bind_address(Binding& binding, const ptx::Operand& operand, ptx::Space named,
                         bool remote) {
  const BoundAddress address = binding.address(operand);
  if (!fits_space(named, address.space))
    binding.refuse("the variable lies in another space than the instruction names");
  const Where where = where_of(binding, named, address);
  if (operand.address.base.empty() && named != ptx::Space::local)
    binding.refuse("an absolute address can stand for local memory only");
  const bool far = named == ptx::Space::none || named == ptx::Space::global;
  if (far && !address.wide) binding.refuse("a generic or global address has 64 bits");
  constexpr std::int64_t limit = std::int64_t{1} << 47;
  if (address.offset >= limit || address.offset < -limit)
    binding.refuse("the offset of the address does not fit 48 bits");
  binding.op.a = address.base;
  AddressForm form;
  form.where = where;
  form.wide = address.wide;
  form.remote = remote;
  form.offset = address.offset;
  return form;
}

void locate(Warp& warp, const Op& op, Mask mask, std::uint32_t bytes, Access access, std::byte** at,
            int elements) {
  if (warp.observer != nullptr) [[unlikely]]
    return find_lanes_watched(warp, op, mask, bytes, access, at, elements);
  find_lanes(warp, op, mask, bytes, access, at);
}

LaneRun locate_run(Warp& warp, const Op& op, std::uint32_t bytes, Access access, int elements) {
  if (warp.plain) return find_run(warp, op, bytes, access);
  if (warp.detailed || form_of<AddressForm>(op).is_constant()) return {};
  const LaneRun run = find_run(warp, op, bytes, access);
  if (run.first != nullptr && !in_bank(*warp.block->grid, run.first))
    warp.observer->access_run(warp, run.first, run.step,
                              access_form(warp, op, bytes, access, elements));
  return run;
}

Mask in_shared(const Warp& warp, const Op& op, Mask mask) {
  const Where where = form_of<AddressForm>(op).where;
  if (where != Where::generic) return where == Where::shared ? mask : 0;
  std::uint64_t addresses[lanes];
  addresses_of(warp, op, mask, addresses);
  const std::uint64_t window = Windows::shared();
  Mask found = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    found |= static_cast<Mask>(Windows::in(window, addresses[lane])) << lane;
  }
  return found;
}

}  // namespace aisp::sim
