// st.async and red.async: single values of lanes into the shared memory of a block of the cluster,
// counted by an mbarrier there. Their releases to global memory are bound beside st and red.
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/async/async.hpp"
#include "sim/exec/async/reduce.hpp"
#include "sim/exec/async/trace.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/memory/memory.hpp"
#include "sim/exec/sync/mbarrier.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr int to_slot = 0, barrier_slot = 1;

// The elements follow the addresses in the list.
struct StoreForm {
  AddressSlots slots;
  CopySpace space = CopySpace::generic;
  std::uint8_t elements = 1;
  bool wide = false;  // elements of 64 bits
  ReduceOp reduce = ReduceOp::none;
  Type type = Type::none;  // of what is reduced
  std::uint32_t bytes() const { return elements * (wide ? 8u : 4u); }
};

struct Store {
  Block* block;
  std::uint32_t to, barrier, bytes;
  Reducer reducer;
  alignas(8) std::byte value[4 * 8];
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
  const auto form = form_of<StoreForm>(op);
  const Ref* values = warp.list(op) + 4;
  each_lane_checked(mask, [&](int lane) {
    Store store{};
    store.block = warp.block;
    store.bytes = form.bytes();
    store.reducer = find_reducer(form.reduce, form.type);
    store.to = lane_shared(warp, op, to_slot, lane, form.space);
    store.barrier = lane_shared(warp, op, barrier_slot, lane, form.space);
    if (store.to % store.bytes != 0)
      throw Fault{FaultKind::misaligned,
                  say("asynchronous store of ", store.bytes, " bytes at shared offset ",
                      own_offset(store.to)),
                  store.to, lane};
    if (store.to >> shared_rank_shift != store.barrier >> shared_rank_shift)
      misuse(say("the mbarrier is in block ", store.barrier >> shared_rank_shift,
                 " of the cluster, the destination in block ", store.to >> shared_rank_shift),
             store.barrier);
    for (std::uint32_t i = 0; i < form.elements; ++i) {
      if (form.wide)
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

// The state space and the completion.
StoreForm take_space(Binding& b) {
  StoreForm form;
  if (b.accept("shared::cluster")) form.space = CopySpace::shared_cluster;
  b.expect("mbarrier::complete_tx::bytes");
  return form;
}

void bind_operands(Binding& b, StoreForm form, Type type) {
  b.expect_operands(3, 3);
  bind_address(b, form.slots, to_slot, b.operand(0));
  bind_address(b, form.slots, barrier_slot, b.operand(2));
  const auto& parts = b.parts(b.operand(1));
  if (parts.size() != form.elements)
    b.refuse(say(+form.elements, " values are needed, not ", parts.size()));
  for (const ptx::Operand& part : parts) b.list(b.read(part, type));
  form.wide = bits_of(type) == 64;
  set_form(b.op, form);
  b.op.run = run_store;
}

// The forms without an mbarrier, which go to global memory.
bool releases(const Binding& b) { return b.peek() == "mmio" || b.peek() == "release"; }

constexpr Word<std::uint8_t> vectors[] = {{"v2", 2}, {"v4", 4}};
constexpr Word<ReduceOp> reductions[] = {
    {"add", ReduceOp::add},   {"min", ReduceOp::min},     {"max", ReduceOp::max},
    {"inc", ReduceOp::inc},   {"dec", ReduceOp::dec},     {"and", ReduceOp::bit_and},
    {"or", ReduceOp::bit_or}, {"xor", ReduceOp::bit_xor},
};

}  // namespace

void bind_st_async(Binding& b) {
  if (releases(b)) {
    b.require(sm_100, "a release of st.async");
    return bind_st_async_release(b);
  }
  b.accept("weak");
  StoreForm form = take_space(b);
  form.elements = b.accept(vectors).value_or(1);
  const Type type = b.type_of(
      {Type::b32, Type::b64, Type::u32, Type::u64, Type::s32, Type::s64, Type::f32, Type::f64});
  if (form.elements == 4 && bits_of(type) == 64) b.refuse(".v4 takes 32-bit types only");
  bind_operands(b, form, type);
}

void bind_red_async(Binding& b) {
  if (releases(b)) {
    b.require(sm_100, "a release of red.async");
    return bind_red_async_release(b);
  }
  b.expect("relaxed");
  b.expect("cluster");
  StoreForm form = take_space(b);
  form.reduce = b.one_of(reductions, "the reduction is missing");
  Type type = b.type_of({Type::u32, Type::s32, Type::u64, Type::s64, Type::b32});
  if (type == Type::s64 && form.reduce == ReduceOp::add) type = Type::u64;  // the same bits
  if (find_reducer(form.reduce, type) == nullptr ||
      (bits_of(type) == 64 && form.reduce != ReduceOp::add))
    b.refuse(say("there is no such reduction of .", name_of(type)));
  form.type = type;
  bind_operands(b, form, type);
}

}  // namespace aisp::sim
