// st: units of 1 to 8 elements of memory type M, cut out of registers whose lanes hold an R.
#include <atomic>

#include "sim/exec/lanes.hpp"
#include "sim/exec/memory/memory.hpp"
#include "sim/exec/memory/units.hpp"
#include "sim/exec/vector_of_one.hpp"

namespace aisp::sim {
namespace {

using Kind = MemoryModifier;

// All lanes, evenly spaced. Where they meet, the last one wins.
template <class M, class R>
[[gnu::always_inline]] inline void store_run(const LaneRun& run, const R* a) {
  std::byte* to = run.first;
  if (run.step == sizeof(M)) {
    for (int lane = 0; lane < lanes; ++lane) put(to + lane * sizeof(M), static_cast<M>(a[lane]));
  } else {
    for (int lane = 0; lane < lanes; ++lane, to += run.step) put(to, static_cast<M>(a[lane]));
  }
}

template <class M, class R, int n>
Flow store(Warp& warp, const Op& op, Mask mask) {
  // What came before reaches other clusters' threads first; x86 keeps that order by itself.
  if (form_of<AddressForm>(op).order == MemoryOrder::release)
    std::atomic_thread_fence(std::memory_order_release);
  LaneRun run;
  if (mask == all_lanes) run = locate_run(warp, op, sizeof(M) * n, Access::write, 1);
  if constexpr (n == 1) {
    if (run.first != nullptr) {
      store_run<M>(run, warp.read<R>(op.b));
      return wrote(warp);
    }
  }
  std::byte* at[lanes];
  if (run.first != nullptr)
    spread(run, at);
  else
    locate(warp, op, mask, sizeof(M) * n, Access::write, at);
  if constexpr (n == 1) {
    const auto* a = warp.read<R>(op.b);
    each_lane(mask, [&](int lane) { put(at[lane], static_cast<M>(a[lane])); });
  } else {
    const Ref* refs = warp.list(op);
    if constexpr (n == 4 && sizeof(M) == 4 && sizeof(R) == 4) {
      if (mask == all_lanes) {
        const std::uint32_t* column[4];
        for (int i = 0; i < 4; ++i) column[i] = warp.read<std::uint32_t>(refs[i]);
        put_quads(at, column);
        return wrote(warp);
      }
    }
    Unit<M, n> staged[lanes];
    for (int i = 0; i < n; ++i) {
      const auto* a = warp.read<R>(refs[i]);
      each_lane(mask, [&](int lane) { staged[lane].part[i] = static_cast<M>(a[lane]); });
    }
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      put(at[lane], staged[lane]);
    }
  }
  return wrote(warp);
}

template <class M, class R>
Handler select_count(int count) {
  switch (count) {
    case 1:
      return store<M, R, 1>;
    case 2:
      if constexpr (sizeof(M) <= 8) return store<M, R, 2>;
      break;
    case 4:
      if constexpr (sizeof(M) <= 8) return store<M, R, 4>;
      break;
    case 8:
      if constexpr (sizeof(M) == 4) return store<M, R, 8>;
      break;
  }
  return nullptr;
}

template <class M>
Handler select_register(bool wide, int count) {
  return wide ? select_count<M, std::uint64_t>(count) : select_count<M, std::uint32_t>(count);
}

Handler select(int bytes, bool wide, int count) {
  switch (bytes) {
    case 1:
      return select_register<std::uint8_t>(wide, count);
    case 2:
      return select_register<std::uint16_t>(wide, count);
    case 4:
      return select_register<std::uint32_t>(wide, count);
    case 8:
      return select_count<std::uint64_t, std::uint64_t>(count);
    default:
      return count == 1 ? store<U128, U128, 1> : nullptr;
  }
}

// Binds the source or all of a vector; returns whether their lanes are 64 bits.
bool bind_sources(Binding& b, const ptx::Operand& operand, Type type, int count) {
  bool wide = false;
  if (count == 1) {
    b.op.b = b.read_relaxed(scalar(operand), type, wide);
    return wide;
  }
  const std::vector<ptx::Operand>& parts = b.parts(operand);
  if (parts.size() != static_cast<std::size_t>(count))
    b.refuse("the source must be a vector of " + std::to_string(count));
  bool first = true, one_wide = false;
  for (const ptx::Operand& part : parts) {
    b.list(b.read_relaxed(part, type, one_wide));
    if (!first && one_wide != wide) b.refuse("the elements of the vector differ in width");
    wide = one_wide;
    first = false;
  }
  return wide;
}

}  // namespace

void bind_st(Binding& b) {
  const MemoryModifiers m =
      memory_modifiers(b, ~kinds(Kind::operation, Kind::no_flush, Kind::wider, Kind::prefetch,
                                 Kind::read_only, Kind::unified));
  if (m.order() == MemoryOrder::acquire || m.order() == MemoryOrder::acq_rel)
    b.refuse("a store does not acquire");
  const CacheOp cache = m.cache();
  if (cache == CacheOp::ca || cache == CacheOp::lu || cache == CacheOp::cv)
    b.refuse("a cache operator of loads");
  if (m.space == ptx::Space::constant) b.refuse("constant memory cannot be written");
  check_access(b, m);
  check_width(b, m);
  const int bytes = access_bytes(b, m.type);
  if (take_cache_policy(b, m) != 2) b.refuse("a store has an address and a source");
  AddressForm form = bind_address(b, b.operand(0), m.space, m.remote);
  if (m.kernel_param || form.where == Where::bank)
    b.refuse("the parameters of a kernel cannot be written");
  form.order = m.order();
  form.scope = m.scope();
  set_form(b.op, form);
  b.op.run = select(bytes, bind_sources(b, b.operand(1), m.type, m.vector()), m.vector());
  if (b.op.run == nullptr) b.refuse("no vector of this type");
}

// Nothing tells when it is done, but a release that somebody else sees: it is, when it is issued.
void bind_st_async_release(Binding& b) {
  MemoryModifiers m = memory_modifiers(b, kinds(Kind::order, Kind::mmio, Kind::scope, Kind::space));
  check_async_release(b, m);
  const int bits = bits_of(m.type);
  const bool plain = is_bits(m.type) || is_integer(m.type) || is_float(m.type);
  if (!plain || bits > 64 || m.type == Type::f16 || m.type == Type::bf16)
    b.refuse("takes integers and bits of 8 to 64, f32 and f64");
  b.expect_operands(2, 2);
  AddressForm form = bind_address(b, b.operand(0), m.space, false);
  form.order = m.order();
  form.scope = m.scope();
  set_form(b.op, form);
  b.op.b = b.read(1, m.type);
  b.op.run = select(bits / 8, bits == 64, 1);
}

}  // namespace aisp::sim
