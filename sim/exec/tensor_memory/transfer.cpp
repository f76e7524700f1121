// tcgen05.ld and st: a warp moves registers from and to its quarter of the lanes, at a moment of
// the scheduler's choice before tcgen05.wait::ld or ::st. An instruction that names a register of a
// load under way waits for that load (sim/launch/interpreter.cpp), and for nothing else.
#include <algorithm>
#include <memory>
#include <vector>

#include "base/refuse.hpp"
#include "sim/exec/tensor_memory/transfer_map.hpp"
#include "sim/exec/tensor_memory/words.hpp"
#include "sim/machine/async.hpp"
#include "sim/machine/collective.hpp"
#include "sim/machine/tensor_use.hpp"

namespace aisp::sim {
namespace {

using base::say;

struct TransferForm {
  AddressSlots slots;
  TransferShape shape = TransferShape::l32x32b;
  std::uint8_t count = 1;   // .xN
  bool packed = false;      // two columns of 16 bits in a register
  std::int32_t second = 0;  // 16x32bx2: from the address of the first half to that of the second
};

constexpr int quarter = 32, first_register = 2;  // in the list, behind the address

// Where the warp's part begins: rows of cells, and the first column, of each half of the threads.
struct Place {
  std::uint32_t lane[2], column[2];
};

std::uint32_t lane_base(const Warp& warp, const TransferForm& form, TensorAddress at,
                        const char* what) {
  const std::uint32_t inside = at.lane % quarter;
  const bool whole = form.shape == TransferShape::l32x32b;
  if (inside != 0 && (whole || inside != 16))
    misuse(say(what, " at lane ", at.lane, ": this shape begins at ",
               whole ? "a multiple of 32" : "lane 0 or 16 of a quarter"),
           0);
  // The address's quarter is not looked at: a warp has its own.
  return static_cast<std::uint32_t>(warp.index % 4 * quarter) + inside;
}

std::uint32_t width_of(const TransferForm& form) {  // columns from the address on
  return static_cast<std::uint32_t>(columns_of(form.shape, form.count) * (form.packed ? 2 : 1));
}

Place transfer_place(Warp& warp, const Op& op, Mask mask, const char* what) {
  const auto form = form_of<TransferForm>(op);
  if (mask != all_lanes)
    misuse(say(what, " needs a whole warp: ", std::popcount(mask), " lanes execute it"), 0);
  const std::uint32_t bits = tensor_bits(warp, op, 0, 0);
  for (int lane = 1; lane < lanes; ++lane)
    if (tensor_bits(warp, op, 0, lane) != bits)
      misuse(say(what, ": the address differs between lane 0 and lane ", lane), 0);
  Place place;
  for (int half = 0; half < 2; ++half) {
    const TensorAddress at =
        TensorAddress::of(bits + static_cast<std::uint32_t>(half == 1 ? form.second : 0));
    place.lane[half] = lane_base(warp, form, at, what);
    place.column[half] = at.column;
    require_columns(warp.block->tensor, at.column, width_of(form), what);
  }
  return place;
}

// body(cell, thread, register) for all of them; of packed ones the first of two cells.
template <class Body>
void each_cell(TensorMemory& memory, const TransferForm& form, const Place& place, Body&& body) {
  const int registers = registers_of(form.shape, form.count);
  const int width = form.packed ? 2 : 1;
  for (int t = 0; t < lanes; ++t) {
    const int half = form.shape == TransferShape::l16x32bx2 ? t / 16 : 0;
    for (int i = 0; i < registers; ++i) {
      const TensorCell at = transfer_cell(form.shape, t, i);
      body(memory.row(place.lane[half] + static_cast<std::uint32_t>(at.lane)) + place.column[half] +
               width * at.column,
           t, i);
    }
  }
}

// Both halves of the threads, where they have addresses of their own.
void tell_use(Warp& warp, const Op& op, const Place& place, bool store) {
  if (warp.observer == nullptr) return;
  const auto form = form_of<TransferForm>(op);
  const bool halves = form.shape == TransferShape::l16x32bx2;
  const std::uint32_t mask = form.shape == TransferShape::l32x32b ? ~0u : 0xffffu;
  const auto asked = static_cast<int>(TensorAddress::of(tensor_bits(warp, op, 0, 0)).lane) / 32;
  const int own = warp.index % tensor_quarters;
  for (int half = 0; half < (halves ? 2 : 1); ++half) {
    TensorUse use{.block = warp.block,
                  .access = store ? Access::write : Access::read,
                  .deed = store ? TensorDeed::store : TensorDeed::load};
    use.cells.column = place.column[half];
    use.cells.columns = width_of(form);
    const std::uint32_t lane = place.lane[half];
    use.cells.lanes[lane / quarter] = mask << lane % quarter;
    if (asked != 0 && asked != own) use.foreign_quarter = asked;
    warp.observer->tensor_used(warp, -1, use);
  }
}

Flow run_load(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const auto form = form_of<TransferForm>(op);
  const Place place = transfer_place(warp, op, mask, "tcgen05.ld");
  tell_use(warp, op, place, false);
  issue(warp, AsyncKind::tensor_load, tensor_loads_of(warp), all_lanes, [&warp, &op, form, place] {
    const Ref* refs = warp.list(op) + first_register;
    std::uint32_t* to[lanes * 4];
    for (int i = 0; i < registers_of(form.shape, form.count); ++i)
      to[i] = warp.write<std::uint32_t>(refs[i]);
    // Given back before tcgen05.wait::ld, and taken by another block since: undefined values.
    if (!is_usable(warp.block->tensor, {place.column[0], width_of(form)})) {
      for (int i = 0; i < registers_of(form.shape, form.count); ++i)
        std::fill_n(to[i], lanes, unwritten_tensor_cell);
      return;
    }
    each_cell(*warp.block->tensor.memory, form, place,
              [&](const std::uint32_t* cell, int t, int i) {
                to[i][t] = form.packed ? (cell[0] & 0xffff) | cell[1] << 16 : cell[0];
              });
  });
  return Flow::next;
}

Flow run_store(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const auto form = form_of<TransferForm>(op);
  const Place place = transfer_place(warp, op, mask, "tcgen05.st");
  tell_use(warp, op, place, true);
  const Ref* refs = warp.list(op) + first_register;
  const int registers = registers_of(form.shape, form.count);
  auto values = std::make_shared<std::vector<std::uint32_t>>();
  values->reserve(static_cast<std::size_t>(registers) * lanes);
  for (int i = 0; i < registers; ++i) {
    const auto* from = warp.read<std::uint32_t>(refs[i]);
    values->insert(values->end(), from, from + lanes);
  }
  issue(warp, AsyncKind::tensor_store, tensor_stores_of(warp), all_lanes,
        [block = warp.block, form, place, values = std::move(values)] {
          require_columns(block->tensor, place.column[0], width_of(form),
                          "tcgen05.st, not waited for by tcgen05.wait::st,");
          each_cell(*block->tensor.memory, form, place, [&](std::uint32_t* cell, int t, int i) {
            const std::uint32_t value = (*values)[static_cast<std::size_t>(i * lanes + t)];
            cell[0] = form.packed ? value & 0xffff : value;
            if (form.packed) cell[1] = value >> 16;
          });
        });
  return Flow::next;
}

Flow run_wait_loads(Warp& warp, const Op&, Mask mask) {
  if (gather(warp, mask, all_lanes) == 0) return Flow::wait;
  complete_all(*warp.block->cluster, tensor_loads_of(warp), all_lanes);
  if (warp.observer != nullptr) warp.observer->tensor_waited(warp, false);
  return Flow::next;
}

Flow run_wait_stores(Warp& warp, const Op&, Mask mask) {
  if (gather(warp, mask, all_lanes) == 0) return Flow::wait;
  complete_all(*warp.block->cluster, tensor_stores_of(warp), all_lanes);
  if (warp.observer != nullptr) warp.observer->tensor_waited(warp, true);
  return Flow::next;
}

constexpr Modifier transfer_words[] = {
    {"32x32b", TensorWord::shape, TransferShape::l32x32b},
    {"16x64b", TensorWord::shape, TransferShape::l16x64b},
    {"16x128b", TensorWord::shape, TransferShape::l16x128b},
    {"16x256b", TensorWord::shape, TransferShape::l16x256b},
    {"16x32bx2", TensorWord::shape, TransferShape::l16x32bx2},
    {"x1", TensorWord::count, 1},
    {"x2", TensorWord::count, 2},
    {"x4", TensorWord::count, 4},
    {"x8", TensorWord::count, 8},
    {"x16", TensorWord::count, 16},
    {"x32", TensorWord::count, 32},
    {"x64", TensorWord::count, 64},
    {"x128", TensorWord::count, 128},
    {"pack::16b", TensorWord::pack, false},
    {"unpack::16b", TensorWord::pack, true},
};

TransferForm take_transfer_form(Binding& b, bool store) {
  const ModifierSet given =
      b.read_all({.words = tensor_words,
                  .more = transfer_words,
                  .allowed = kinds(TensorWord::sync, TensorWord::aligned, TensorWord::type,
                                   TensorWord::shape, TensorWord::count, TensorWord::pack)});
  require_sync(b, given);  // ptxas takes it without .aligned
  if (given.get(TensorWord::type, 0) != 32) b.refuse("the type .b32 is missing");
  if (!given.has(TensorWord::shape) || !given.has(TensorWord::count))
    b.refuse("the shape, such as .32x32b, or the number .x1 to .x128 is missing");
  const bool packed = given.has(TensorWord::pack);
  if (packed && given.get(TensorWord::pack, false) != store)
    b.refuse(".pack::16b is for loads, .unpack::16b for stores");
  TransferForm form;
  form.shape = given.get(TensorWord::shape, TransferShape::l32x32b);
  form.count = given.get(TensorWord::count, std::uint8_t{1});
  form.packed = packed;
  if (registers_of(form.shape, form.count) > 128)
    b.refuse(say(".x", +form.count, " of this shape would be ",
                 registers_of(form.shape, form.count), " registers: 128 is the most"));
  return form;
}

// The number of columns, or the address, from the first half to the second.
void bind_second(Binding& b, TransferForm& form, int operand) {
  form.second = static_cast<std::int32_t>(b.constant(b.operand(operand)));
}

void list_values(Binding& b, const ptx::Operand& vector, int count, bool store) {
  if (vector.kind != ptx::Operand::Kind::vector || static_cast<int>(vector.parts.size()) != count)
    b.refuse(say("a vector of ", count, " registers is expected"));
  for (const ptx::Operand& part : vector.parts) {
    if (part.kind == ptx::Operand::Kind::sink) b.refuse("'_' cannot stand for a register here");
    b.list(store ? b.read(part, Type::b32) : b.write(part, Type::b32));
  }
}

void bind_transfer(Binding& b, bool store) {
  TransferForm form = take_transfer_form(b, store);
  const bool halves = form.shape == TransferShape::l16x32bx2;
  b.expect_operands(halves ? 3 : 2, halves ? 3 : 2);
  const int address = store ? 0 : 1, values = !store ? 0 : halves ? 2 : 1;
  bind_tensor_address(b, form.slots, 0, b.operand(address));
  if (halves) bind_second(b, form, store ? 1 : 2);
  list_values(b, b.operand(values), registers_of(form.shape, form.count), store);
  if (!store) b.defer_results(first_register);
  set_form(b.op, form);
  b.op.run = store ? run_store : run_load;
}

void bind_wait(Binding& b, Handler handler) {
  require_sync_aligned(b, b.read_all({.words = tensor_words,
                                      .allowed = kinds(TensorWord::sync, TensorWord::aligned)}));
  b.expect_operands(0, 0);
  b.op.run = handler;
}

}  // namespace

void bind_tensor_load(Binding& b) { bind_transfer(b, false); }
void bind_tensor_store(Binding& b) { bind_transfer(b, true); }
void bind_tensor_wait_loads(Binding& b) { bind_wait(b, run_wait_loads); }
void bind_tensor_wait_stores(Binding& b) { bind_wait(b, run_wait_stores); }

}  // namespace aisp::sim
