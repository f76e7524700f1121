// Addresses and what changes while a kernel runs: mov of a variable's address or of %clock, cvta,
// isspacep, mapa, getctarank. Shared addresses are (rank << 24) + offset; generic ones add the
// window of their space; global, constant and parameter memory is at its generic address.
#include <iterator>
#include <numeric>

#include "sim/exec/arithmetic/integer/handler.hpp"
#include "sim/exec/form.hpp"
#include "sim/exec/move/address.hpp"

namespace aisp::sim {
namespace {

// dst = window + base + offset. imm: offset plus window.
template <class D, class Base>
Flow address_from_base(Warp& warp, const Op& op, Mask mask) {
  return map1<D, Base>(warp, op, mask, [&](Base base) { return static_cast<D>(base + op.imm); });
}
template <class D>
Flow address_in_frame(Warp& warp, const Op& op, Mask mask) {
  D* d = warp.write<D>(op.dst);
  const D value = static_cast<D>(warp.lane_group->frame_base + op.imm);
  each_lane(mask, [&](int lane) { d[lane] = value; });
  return Flow::next;
}
template <class D>
Flow address_of_param(Warp& warp, const Op& op, Mask mask) {
  D* d = warp.write<D>(op.dst);
  const D value = static_cast<D>(reinterpret_cast<u64>(warp.block->grid->params) + op.imm);
  each_lane(mask, [&](int lane) { d[lane] = value; });
  return Flow::next;
}

enum class Clock { cycles, cycles_high, timer, timer_high, workspace, workspace_high };
// Warp instructions that this thread of the host has done in the launch: one of them is a cycle
// and, for the timer, a nanosecond, so that a loop which waits for time to pass comes to its end.
u64 ticks(const Warp& warp) {
  return std::accumulate(std::begin(warp.counters->by_class), std::end(warp.counters->by_class),
                         u64{0});
}
u64 read_clock(const Warp& warp, Clock what) {
  const Grid& grid = *warp.block->grid;
  switch (what) {
    case Clock::cycles:
      return ticks(warp);
    case Clock::cycles_high:
      return ticks(warp) >> 32;
    case Clock::timer:
      return grid.now() + ticks(warp);
    case Clock::timer_high:
      return (grid.now() + ticks(warp)) >> 32;
    case Clock::workspace:
      return grid.workspace;
    case Clock::workspace_high:
      return grid.workspace >> 32;
  }
  return 0;
}
template <Clock what, class D>
Flow move_clock(Warp& warp, const Op& op, Mask mask) {
  D* d = warp.write<D>(op.dst);
  const D value = static_cast<D>(read_clock(warp, what));
  each_lane(mask, [&](int lane) { d[lane] = value; });
  return Flow::next;
}

struct ClockName {
  std::string_view name;
  Handler word, double_word;  // null where the register is not that wide
};
constexpr ClockName clocks[] = {
    {"%clock", move_clock<Clock::cycles, u32>, nullptr},
    {"%clock_hi", move_clock<Clock::cycles_high, u32>, nullptr},
    {"%clock64", nullptr, move_clock<Clock::cycles, u64>},
    {"%globaltimer", nullptr, move_clock<Clock::timer, u64>},
    {"%globaltimer_lo", move_clock<Clock::timer, u32>, nullptr},
    {"%globaltimer_hi", move_clock<Clock::timer_high, u32>, nullptr},
    // Where the blocks of a cooperative grid meet; 0 for other grids.
    {"%envreg1", move_clock<Clock::workspace_high, u32>, nullptr},
    {"%envreg2", move_clock<Clock::workspace, u32>, nullptr},
};

struct SpaceName {
  ptx::Space space{};
  bool cluster = false;  // any block's shared memory, not only the own
};
constexpr Word<SpaceName> spaces[] = {
    {"global", {ptx::Space::global}},      {"const", {ptx::Space::constant}},
    {"local", {ptx::Space::local}},        {"param", {ptx::Space::param}},
    {"param::entry", {ptx::Space::param}}, {"shared", {ptx::Space::shared}},
    {"shared::cta", {ptx::Space::shared}}, {"shared::cluster", {ptx::Space::shared, true}},
};
SpaceName take_space(Binding& b) {
  const auto space = b.accept(spaces);
  if (!space) b.refuse("no such state space: ." + std::string(b.take()));
  return *space;
}

bool has_window(ptx::Space space) {
  return space == ptx::Space::shared || space == ptx::Space::local;
}
u64 window_of(ptx::Space space) {
  return space == ptx::Space::shared  ? Windows::shared()
         : space == ptx::Space::local ? Windows::local()
                                      : 0;
}

// Addresses in the windowed spaces are 32 bits; imm is the window.
Flow to_generic(Warp& warp, const Op& op, Mask mask) {
  return map1<u64, u64>(warp, op, mask, [&](u64 a) { return op.imm + static_cast<u32>(a); });
}
Flow from_generic(Warp& warp, const Op& op, Mask mask) {
  return map1<u64, u64>(warp, op, mask, [&](u64 a) { return u64{static_cast<u32>(a - op.imm)}; });
}
Flow same_address(Warp& warp, const Op& op, Mask mask) {
  return map1<u64, u64>(warp, op, mask, [](u64 a) { return a; });
}

bool lies_in(Warp& warp, ptx::Space space, bool cluster, u64 address) {
  const Block& block = *warp.block;
  const bool shared = Windows::in(Windows::shared(), address);
  const bool local = Windows::in(Windows::local(), address);
  switch (space) {
    case ptx::Space::shared: {
      const u64 rank = (address - Windows::shared()) >> shared_rank_shift;
      return shared && (cluster ? rank < block.cluster->blocks.size() : rank == block.rank);
    }
    case ptx::Space::local:
      return local;
    // Constant and parameter memory is part of the global window.
    case ptx::Space::global:
      return !shared && !local;
    default:
      break;
  }
  const auto found = block.grid->memory->find(address);
  return found && found->kind == (space == ptx::Space::constant ? MemoryKind::module_const
                                                                : MemoryKind::params);
}

template <class T>
Flow isspacep(Warp& warp, const Op& op, Mask mask) {
  const T* a = warp.read<T>(op.a);
  const auto form = form_of<SpaceName>(op);
  Mask inside = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    inside |= static_cast<Mask>(lies_in(warp, form.space, form.cluster, a[lane])) << lane;
  }
  warp.set_predicate(op.dst, mask, inside);
  return Flow::next;
}

// Shared addresses of the operand a, which may be a generic one; imm is added to it.
template <class T, bool generic>
[[gnu::always_inline]] inline u32 shared_address(T a, u64 imm, u64 window) {
  return static_cast<u32>((generic ? a - window : a) + imm);
}

// The same offset in the block of another rank.
template <class T, bool generic>
Flow mapa(Warp& warp, const Op& op, Mask mask) {
  constexpr u32 offset_bits = (1u << shared_rank_shift) - 1;
  const u64 window = generic ? Windows::shared() : 0;
  T* d = warp.write<T>(op.dst);
  const T* a = warp.read<T>(op.a);
  const u32* rank = warp.read<u32>(op.b);
  each_lane(mask, [&](int lane) {
    const u32 offset = shared_address<T, generic>(a[lane], op.imm, window) & offset_bits;
    d[lane] = static_cast<T>(window + (offset | rank[lane] << shared_rank_shift));
  });
  return Flow::next;
}

template <class T, bool generic>
Flow getctarank(Warp& warp, const Op& op, Mask mask) {
  const u64 window = generic ? Windows::shared() : 0;
  u32* d = warp.write<u32>(op.dst);
  const T* a = warp.read<T>(op.a);
  each_lane(mask, [&](int lane) {
    d[lane] = shared_address<T, generic>(a[lane], op.imm, window) >> shared_rank_shift;
  });
  return Flow::next;
}

// What mapa and getctarank have in common: `{.shared::cluster}.{u32,u64}` and the address a, which
// may be the name of a shared variable.
struct ClusterAddress {
  Type type;
  bool shared;  // not generic
};
ClusterAddress bind_cluster_address(Binding& b, int operands) {
  const bool shared = b.accept("shared::cluster");
  const Type type = b.type_of({Type::u32, Type::u64});
  if (!shared && type == Type::u32) b.refuse("a generic address has 64 bits");
  b.expect_operands(operands, operands);
  const ptx::Operand& source = b.operand(1);
  if (b.is_variable(source)) {
    const BoundAddress address = b.address_of(source, type);
    if (!shared || address.space != ptx::Space::shared) {
      b.refuse("only .shared::cluster takes a variable, of shared memory");
    }
    b.op.a = address.base;
    b.op.imm = static_cast<u64>(address.offset);
  } else {
    b.op.a = b.read(1, type);
  }
  return {type, shared};
}

}  // namespace

void bind_address(Binding& b, const BoundAddress& address, Type type, u64 window) {
  const bool wide = bits_of(type) == 64;
  if (!wide && bits_of(type) != 32) b.refuse("an address has 32 or 64 bits");
  b.op.imm = window + static_cast<u64>(address.offset);
  if (address.base != no_ref) {
    b.op.a = address.base;
    if (wide) {
      b.op.run = address.wide ? address_from_base<u64, u64> : address_from_base<u64, u32>;
    } else {
      b.op.run = address.wide ? address_from_base<u32, u64> : address_from_base<u32, u32>;
    }
  } else if (address.in_frame) {
    b.op.run = wide ? address_in_frame<u64> : address_in_frame<u32>;
  } else {
    b.op.run = wide ? address_of_param<u64> : address_of_param<u32>;
  }
}

void bind_volatile(Binding& b, const ptx::Operand& source, Type type) {
  const std::string_view name = b.volatile_special(source);
  for (const ClockName& clock : clocks) {
    if (clock.name != name || is_float(type)) continue;
    b.op.run = bits_of(type) == 64 ? clock.double_word : bits_of(type) == 32 ? clock.word : nullptr;
    if (b.op.run != nullptr) return;
  }
  b.refuse(std::string(name) + " is not modelled as ." + std::string(name_of(type)));
}

void bind_cvta(Binding& b) {
  const bool to = b.accept("to");
  const SpaceName space = take_space(b);
  if (b.accept("u32")) b.refuse("a generic address has 64 bits");
  b.expect("u64");
  b.expect_operands(2, 2);
  b.op.dst = b.write(0, Type::u64);
  const u64 window = window_of(space.space);
  const ptx::Operand& source = b.operand(1);
  if (b.is_variable(source)) {
    if (to) b.refuse("cvta.to wants a generic address");
    const BoundAddress address = b.address_of(source, Type::u64);
    if (address.space != space.space) b.refuse("the variable lies in another state space");
    return bind_address(b, address, Type::u64, window);
  }
  b.op.a = b.read(1, Type::u64);
  b.op.imm = window;
  b.op.run = !has_window(space.space) ? same_address : to ? from_generic : to_generic;
}

void bind_isspacep(Binding& b) {
  const SpaceName space = take_space(b);
  b.expect_operands(2, 2);
  b.op.dst = b.write_predicate(b.operand(0));
  b.op.a = b.read(1, Type::u64);
  set_form(b.op, space);
  b.op.run = isspacep<u64>;
}

void bind_mapa(Binding& b) {
  const auto [type, shared] = bind_cluster_address(b, 3);
  b.op.dst = b.write(0, type);
  b.op.b = b.read(2, Type::u32);
  b.op.run = type == Type::u32 ? mapa<u32, false> : shared ? mapa<u64, false> : mapa<u64, true>;
}

void bind_getctarank(Binding& b) {
  const auto [type, shared] = bind_cluster_address(b, 2);
  b.op.dst = b.write(0, Type::u32);
  b.op.run = type == Type::u32 ? getctarank<u32, false>
             : shared          ? getctarank<u64, false>
                               : getctarank<u64, true>;
}

}  // namespace aisp::sim
