// What multimem instructions do: one address stands for a place in the memory of every device of a
// team (sim/machine/multicast.hpp). A reduction takes the devices in the order in which they were
// added, and rounds after each; the manual leaves the order open.
#include <algorithm>
#include <atomic>

#include "sim/exec/lanes.hpp"
#include "sim/exec/memory/atomic_update.hpp"
#include "sim/exec/memory/multimem.hpp"
#include "sim/exec/memory/units.hpp"
#include "sim/machine/multicast_access.hpp"

namespace aisp::sim {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// Where the lanes find their bytes in the memory of each device.
struct Replicas {
  std::byte* at[most_devices][lanes];
  Mask lanes_of[most_devices] = {};  // lanes whose team has so many devices
};

void find_replicas(Warp& warp, const Op& op, Mask mask, u32 bytes, Access access, Replicas& found) {
  u64 addresses[lanes];
  addresses_of(warp, op, mask, addresses);
  const auto table = warp.block->grid->memory->multicast();
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* of_lane[most_devices];
    const int count =
        resolve_multicast(warp, *table, addresses[lane], bytes, access, lane, of_lane);
    for (int i = 0; i < count; ++i) {
      found.at[i][lane] = of_lane[i];
      found.lanes_of[i] |= Mask{1} << lane;
    }
  }
}

// Calls body(lanes, pointers) for one device after the other, who is told of it as of an access to
// its own memory.
template <class Body>
void each_device(Warp& warp, const Op& op, Mask mask, u32 bytes, Access access, Body&& body) {
  Replicas found;
  find_replicas(warp, op, mask, bytes, access, found);
  const auto form = form_of<AddressForm>(op);
  for (int i = 0; i < most_devices && found.lanes_of[i] != 0; ++i) {
    if (warp.detailed) {
      const std::uint64_t moved = std::uint64_t{bytes} * std::popcount(found.lanes_of[i]);
      if (access != Access::write) warp.counters->global_read += moved;
      if (access != Access::read) warp.counters->global_written += moved;
    }
    if (warp.observer != nullptr)
      tell_access(warp, found.lanes_of[i], found.at[i],
                  {.access = access, .order = form.order, .scope = form.scope, .bytes = bytes});
    body(found.lanes_of[i], found.at[i]);
    if (access != Access::read) wrote(warp);
  }
}

// What one lane moves at once: 4, 8 or 16 bytes, as many elements as fit.
constexpr int most_bytes = 16;
struct Bytes {
  alignas(most_bytes) std::byte of[most_bytes];
};
template <class Element>
int elements_in(u32 bytes) {
  return static_cast<int>(std::min<u32>(bytes, most_bytes) / sizeof(Element));
}
Bytes fetch_bytes(const std::byte* from, u32 bytes) {
  Bytes all;
  if (bytes == 4)
    put(all.of, fetch<u32>(from));
  else if (bytes == 8)
    put(all.of, fetch<u64>(from));
  else
    put(all.of, fetch<U128>(from));
  return all;
}
void put_bytes(std::byte* to, const Bytes& all, u32 bytes) {
  if (bytes == 4)
    put(to, fetch<u32>(all.of));
  else if (bytes == 8)
    put(to, fetch<u64>(all.of));
  else
    put(to, fetch<U128>(all.of));
}

// ---- The sum, or what else, of one element of two devices, in the precision of the element.
template <class Operation>
struct Fold {
  using Element = typename Operation::Value;
  using Sum = Element;
  static Sum start(Element value) { return value; }
  static Sum add(Sum sum, Element value) { return Operation::apply(sum, value, false); }
  static Element end(Sum sum) { return sum; }
};
// In a wider one: rounded to it after every addition, and to the element's at the end.
template <base::Format format, base::Format wide>
struct WideFold {
  using Element = typename AtomicHalf<format, HalfOp::add>::Value;
  using Sum = double;
  static Sum start(Element value) { return base::decode<format>(value); }
  static Sum add(Sum sum, Element value) {
    return base::decode<wide>(base::encode<wide>(sum + base::decode<format>(value)));
  }
  static Element end(Sum sum) {
    return static_cast<Element>(std::isnan(sum) ? all_ones<format> : base::encode<format>(sum));
  }
};

// `Register` holds one element, or two or four.
template <class Fold, class Register>
Flow run_ld_reduce(Warp& warp, const Op& op, Mask mask) {
  using Element = typename Fold::Element;
  constexpr int most = most_bytes / sizeof(Element);
  const auto form = form_of<AddressForm>(op);
  const u32 bytes = static_cast<u32>(sizeof(Register)) * form.count;
  const int elements = elements_in<Element>(bytes), registers = elements_in<Register>(bytes);
  if (form.polls) ++warp.counters->polls;
  typename Fold::Sum sums[lanes][most];
  bool first = true;
  each_device(warp, op, mask, bytes, Access::read, [&](Mask of, std::byte* const* at) {
    for (Mask left = of; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const Bytes all = fetch_bytes(at[lane], bytes);
      for (int i = 0; i < elements; ++i) {
        const auto value = fetch<Element>(all.of + i * sizeof(Element));
        sums[lane][i] = first ? Fold::start(value) : Fold::add(sums[lane][i], value);
      }
    }
    first = false;
  });
  if (form.polls) std::atomic_thread_fence(std::memory_order_acquire);
  const Ref* refs = warp.list(op);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Bytes all;
    for (int i = 0; i < elements; ++i) put(all.of + i * sizeof(Element), Fold::end(sums[lane][i]));
    for (int i = 0; i < registers; ++i)
      if (refs[i] != no_ref)
        warp.write<Slot<Register>>(refs[i])[lane] = fetch<Register>(all.of + i * sizeof(Register));
  }
  return Flow::next;
}

template <class Register>
Bytes source_of(Warp& warp, const Op& op, u32 bytes, int lane) {
  Bytes all;
  const Ref* refs = warp.list(op);
  for (int i = 0; i < elements_in<Register>(bytes); ++i)
    put(all.of + i * sizeof(Register),
        static_cast<Register>(warp.read<Slot<Register>>(refs[i])[lane]));
  return all;
}

template <class Register>
Flow run_st(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<AddressForm>(op);
  const u32 bytes = static_cast<u32>(sizeof(Register)) * form.count;
  if (form.order == MemoryOrder::release) std::atomic_thread_fence(std::memory_order_release);
  each_device(warp, op, mask, bytes, Access::write, [&](Mask of, std::byte* const* at) {
    for (Mask left = of; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      put_bytes(at[lane], source_of<Register>(warp, op, bytes, lane), bytes);
    }
  });
  return Flow::next;
}

// Element by element, each of them at once.
template <class Operation>
Flow run_red(Warp& warp, const Op& op, Mask mask) {
  using T = typename Operation::Value;
  const auto form = form_of<AddressForm>(op);
  const u32 bytes = static_cast<u32>(sizeof(T)) * form.count;
  each_device(warp, op, mask, bytes, Access::atomic, [&](Mask of, std::byte* const* at) {
    for (Mask left = of; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const Bytes all = source_of<T>(warp, op, bytes, lane);
      for (int i = 0; i < elements_in<T>(bytes); ++i)
        update<Operation>(at[lane] + i * sizeof(T), fetch<T>(all.of + i * sizeof(T)), false);
    }
  });
  return Flow::next;
}

// ---- Which of them an instruction is: `use` makes a handler of what is done to one element.
template <class T, class Use>
Handler of_integers(AtomicOp operation, Use&& use) {
  switch (operation) {
    case AtomicOp::add:
      if constexpr (std::is_same_v<T, s64>) return nullptr;  // there is none
      return use(AtomicAdd<std::make_unsigned_t<T>>());
    case AtomicOp::min:
      return use(AtomicMin<T>());
    case AtomicOp::max:
      return use(AtomicMax<T>());
    default:
      return nullptr;
  }
}

template <class T, class Use>
Handler of_bits(AtomicOp operation, Use&& use) {
  switch (operation) {
    case AtomicOp::and_:
      return use(AtomicAnd<T>());
    case AtomicOp::or_:
      return use(AtomicOr<T>());
    case AtomicOp::xor_:
      return use(AtomicXor<T>());
    default:
      return nullptr;
  }
}

template <base::Format format, template <base::Format, HalfOp> class Half, class Use>
Handler of_narrow(AtomicOp operation, Use&& use) {
  switch (operation) {
    case AtomicOp::add:
      return use(Half<format, HalfOp::add>());
    case AtomicOp::min:
      return use(Half<format, HalfOp::min>());
    case AtomicOp::max:
      return use(Half<format, HalfOp::max>());
    default:
      return nullptr;
  }
}

// What loads and reductions have in common.
template <class Use>
Handler of_whole(AtomicOp operation, Type type, Use&& use) {
  switch (type) {
    case Type::u32:
      return of_integers<u32>(operation, use);
    case Type::s32:
      return of_integers<s32>(operation, use);
    case Type::u64:
      return of_integers<u64>(operation, use);
    case Type::s64:
      return of_integers<s64>(operation, use);
    case Type::b32:
      return of_bits<u32>(operation, use);
    case Type::b64:
      return of_bits<u64>(operation, use);
    case Type::f32:
      return operation == AtomicOp::add ? use(AtomicAddF32()) : nullptr;
    case Type::f64:
      return operation == AtomicOp::add ? use(AtomicAddF64()) : nullptr;
    default:
      return nullptr;
  }
}

template <base::Format format, class Register>
Handler ld_reduce_narrow(AtomicOp operation, Type wide) {
  constexpr bool bytes = format.bits() == 8;
  if (wide == Type::none)
    return of_narrow<format, AtomicHalf>(operation, []<class Operation>(Operation) -> Handler {
      return run_ld_reduce<Fold<Operation>, Register>;
    });
  if (operation != AtomicOp::add || wide != (bytes ? Type::f16 : Type::f32)) return nullptr;
  return run_ld_reduce<WideFold<format, bytes ? base::f16 : base::f32>, Register>;
}

}  // namespace

Handler multimem_ld_reduce(AtomicOp operation, Type type, Type wide) {
  switch (type) {
    case Type::f16:
      return ld_reduce_narrow<base::f16, u16>(operation, wide);
    case Type::f16x2:
      return ld_reduce_narrow<base::f16, u32>(operation, wide);
    case Type::bf16:
      return ld_reduce_narrow<base::bf16, u16>(operation, wide);
    case Type::bf16x2:
      return ld_reduce_narrow<base::bf16, u32>(operation, wide);
    case Type::e4m3:
      return ld_reduce_narrow<base::e4m3, u8>(operation, wide);
    case Type::e4m3x2:
      return ld_reduce_narrow<base::e4m3, u16>(operation, wide);
    case Type::e4m3x4:
      return ld_reduce_narrow<base::e4m3, u32>(operation, wide);
    case Type::e5m2:
      return ld_reduce_narrow<base::e5m2, u8>(operation, wide);
    case Type::e5m2x2:
      return ld_reduce_narrow<base::e5m2, u16>(operation, wide);
    case Type::e5m2x4:
      return ld_reduce_narrow<base::e5m2, u32>(operation, wide);
    default:
      if (wide != Type::none) return nullptr;
      return of_whole(operation, type, []<class Operation>(Operation) -> Handler {
        return run_ld_reduce<Fold<Operation>, typename Operation::Value>;
      });
  }
}

Handler multimem_red(AtomicOp operation, Type type) {
  const auto use = []<class Operation>(Operation) -> Handler { return run_red<Operation>; };
  switch (type) {
    case Type::f16:
      return of_narrow<base::f16, AtomicHalf>(operation, use);
    case Type::bf16:
      return of_narrow<base::bf16, AtomicHalf>(operation, use);
    case Type::f16x2:
      return of_narrow<base::f16, AtomicHalfPair>(operation, use);
    case Type::bf16x2:
      return of_narrow<base::bf16, AtomicHalfPair>(operation, use);
    default:
      return of_whole(operation, type, use);
  }
}

Handler multimem_st(Type type) {
  // What can be stored can be reduced.
  const AtomicOp operation = is_bits(type)       ? AtomicOp::and_
                             : type == Type::s64 ? AtomicOp::min
                                                 : AtomicOp::add;
  if (multimem_ld_reduce(operation, type, Type::none) == nullptr) return nullptr;
  switch (bits_of(type)) {
    case 8:
      return run_st<u8>;
    case 16:
      return run_st<u16>;
    case 32:
      return run_st<u32>;
    default:
      return run_st<u64>;
  }
}

}  // namespace aisp::sim
