// st.async and red.async: single values of lanes into the shared memory of a block of the cluster,
// counted by an mbarrier there.
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/async_trace.hpp"
#include "sim/exec/copy.hpp"
#include "sim/exec/copy_operands.hpp"
#include "sim/exec/copy_reduce.hpp"
#include "sim/exec/mbarrier.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"

namespace sim {
namespace {

using base::say;

// imm: bits 0..1 wide bases | 4 generic addresses | 5 elements of 64 bits | 6..8 elements |
// 9 is a reduction | 10..12 ReduceOp | 16..23 Type. The elements follow the addresses in the list.
constexpr int to_slot = 0, barrier_slot = 1;

struct StoreForm {
  std::uint64_t bits;
  CopySpace space() const {
    return (bits >> 4 & 1) != 0 ? CopySpace::generic : CopySpace::shared_cluster;
  }
  bool wide() const { return (bits >> 5 & 1) != 0; }
  std::uint32_t elements() const { return static_cast<std::uint32_t>(bits >> 6 & 7); }
  std::uint32_t bytes() const { return elements() * (wide() ? 8 : 4); }
  Reducer reducer() const {
    return (bits >> 9 & 1) == 0 ? nullptr
                                : find_reducer(static_cast<ReduceOp>(bits >> 10 & 7),
                                               static_cast<Type>(bits >> 16 & 255));
  }
};

struct Store {
  Block* block;
  std::uint32_t to, barrier, bytes;
  Reducer reducer;
  alignas(8) std::byte value[7 * 8];  // the most that Form::elements can say; 16 are used
};

void perform(const Store& store) {
  std::byte* into = resolve_shared(*store.block, store.to, store.bytes, Access::write);
  if (AsyncTrace trace(*store.block, store.barrier); trace)
    trace.tell(into, store.bytes, store.reducer != nullptr ? Access::atomic : Access::write);
  if (store.reducer != nullptr)
    store.reducer(into, store.value, store.bytes);
  else
    std::memcpy(into, store.value, store.bytes);
  mbarrier_apply(*store.block, store.barrier, MBarrierAction::complete_tx, store.bytes);
}

Flow run_store(Warp& warp, const Op& op, Mask mask) {
  const StoreForm form{op.imm};
  const Ref* values = warp.list(op) + 4;
  each_lane_checked(mask, [&](int lane) {
    Store store{};
    store.block = warp.block;
    store.bytes = form.bytes();
    store.reducer = form.reducer();
    store.to = lane_shared(warp, op, to_slot, lane, form.space());
    store.barrier = lane_shared(warp, op, barrier_slot, lane, form.space());
    if (store.to % store.bytes != 0)
      throw Fault{FaultKind::misaligned,
                  say("asynchronous store of ", store.bytes, " bytes at shared offset ",
                      own_offset(store.to)),
                  store.to, lane};
    if (store.to >> shared_rank_shift != store.barrier >> shared_rank_shift)
      misuse(say("the mbarrier is in block ", store.barrier >> shared_rank_shift,
                 " of the cluster, the destination in block ", store.to >> shared_rank_shift),
             store.barrier);
    for (std::uint32_t i = 0; i < form.elements(); ++i) {
      if (form.wide())
        std::memcpy(store.value + 8 * i, warp.read<std::uint64_t>(values[i]) + lane, 8);
      else
        std::memcpy(store.value + 4 * i, warp.read<std::uint32_t>(values[i]) + lane, 4);
    }
    warp.counters->async_bytes += store.bytes;
    if (warp.observer != nullptr) warp.observer->mbarrier_named(warp, lane, store.barrier);
    issue(warp, AsyncKind::lane_store, lane, [store] { perform(store); });
  });
  return Flow::next;
}

// From the state space on: completion, and what `kind` takes before the type.
void bind_space(Binding& b) {
  require_architecture(b, 90, "an asynchronous store");
  const bool generic = !b.accept("shared::cluster");
  b.expect("mbarrier::complete_tx::bytes");
  b.op.imm |= std::uint64_t{generic} << 4;
}

void bind_operands(Binding& b, Type type, std::uint32_t elements) {
  b.expect_operands(3, 3);
  bind_address(b, to_slot, b.operand(0));
  bind_address(b, barrier_slot, b.operand(2));
  const auto& parts = b.parts(b.operand(1));
  if (parts.size() != elements) b.refuse(say(elements, " values are needed, not ", parts.size()));
  for (const ptx::Operand& part : parts) b.list(b.read(part, type));
  b.op.imm |= std::uint64_t{bits_of(type) == 64} << 5 | std::uint64_t{elements} << 6;
  b.op.run = run_store;
}

}  // namespace

void bind_st_async(Binding& b) {
  b.accept("weak");
  bind_space(b);
  const int vector = b.accept_one_of({"v2", "v4"});
  const Type type = b.type_of(
      {Type::b32, Type::b64, Type::u32, Type::u64, Type::s32, Type::s64, Type::f32, Type::f64});
  if (vector == 1 && bits_of(type) == 64) b.refuse(".v4 takes 32-bit types only");
  bind_operands(b, type, vector < 0 ? 1u : vector == 0 ? 2u : 4u);
}

void bind_red_async(Binding& b) {
  b.expect("relaxed");
  b.expect("cluster");
  bind_space(b);
  // In the order of ReduceOp.
  const int op = b.accept_one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  if (op < 0) b.refuse("the reduction is missing");
  Type type = b.type_of({Type::u32, Type::s32, Type::u64, Type::s64, Type::b32});
  const auto reduce = static_cast<ReduceOp>(op);
  if (type == Type::s64 && reduce == ReduceOp::add) type = Type::u64;  // the same bits
  if (find_reducer(reduce, type) == nullptr || (bits_of(type) == 64 && reduce != ReduceOp::add))
    b.refuse(say("there is no such reduction of .", name_of(type)));
  b.op.imm |= std::uint64_t{1} << 9 | static_cast<std::uint64_t>(reduce) << 10 |
              static_cast<std::uint64_t>(type) << 16;
  bind_operands(b, type, 1);
}

}  // namespace sim
