// tcgen05.cp, shared memory to tensor memory, and tcgen05.shift.
#include <algorithm>
#include <cstring>

#include "base/refuse.hpp"
#include "sim/exec/async/trace.hpp"
#include "sim/exec/tensor_memory/decompress.hpp"
#include "sim/exec/tensor_memory/descriptor.hpp"
#include "sim/exec/tensor_memory/words.hpp"
#include "sim/machine/async.hpp"
#include "sim/machine/tensor_use.hpp"

namespace aisp::sim {
namespace {

using base::say;

enum class CopyShape : std::uint8_t { l128x256b, l4x256b, l128x128b, l64x128b, l32x128b };
enum class CopyRows : std::uint8_t { once, twice_02_13, twice_01_23, four_times };

struct CopyForm {
  AddressSlots slots;
  CopyShape shape{};
  CopyRows rows{};
  Packed packed{};
  bool pair = false;

  int source_rows() const {
    constexpr int rows_of[] = {128, 4, 128, 64, 32};
    return rows_of[static_cast<int>(shape)];
  }
  int chunks() const {
    return shape == CopyShape::l128x256b || shape == CopyShape::l4x256b ? 2 : 1;
  }
  // The lane of a row, and how far its copies are apart; there are copies() of them.
  int lane(int row) const {
    if (shape == CopyShape::l4x256b) return 32 * row;
    return rows == CopyRows::twice_01_23 ? row % 32 + 64 * (row / 32) : row;
  }
  int copies() const { return rows == CopyRows::four_times ? 4 : rows == CopyRows::once ? 1 : 2; }
  int apart() const { return rows == CopyRows::twice_02_13 ? 64 : 32; }
};

constexpr std::uint32_t chunk_bytes = 16, chunk_columns = 4;

struct CopyJob {
  CopyForm form;
  Block* block = nullptr;  // whose shared memory is read, and whose tensor memory is written
  TensorDescriptor from;
  TensorAddress to;

  void operator()() const {
    const int chunks = form.chunks();
    require_columns(block->tensor, to.column, chunk_columns * static_cast<std::uint32_t>(chunks),
                    "tcgen05.cp");
    TensorMemory& memory = *block->tensor.memory;
    AsyncTrace trace(*block);
    for (int row = 0; row < form.source_rows(); ++row) {
      for (int chunk = 0; chunk < chunks; ++chunk) {
        const std::uint32_t offset =
            from.k_major(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(chunk));
        std::byte* at =
            resolve_shared(*block, in_block(offset, block->rank), chunk_bytes, Access::read);
        if (trace) trace.add(at, chunk_bytes, Access::read);
        std::uint32_t words[chunk_columns];
        std::memcpy(words, at, sizeof words);
        decompress(form.packed, words);
        for (int copy = 0; copy < form.copies(); ++copy) {
          const auto lane = static_cast<std::uint32_t>(form.lane(row) + copy * form.apart());
          std::memcpy(memory.row(to.lane + lane) + to.column + chunk_columns * chunk, words,
                      sizeof words);
        }
      }
    }
    if (trace) trace.flush();
  }
};

// Where a copy may begin: it must not end beyond the last lane.
void check_place(const CopyForm& form, TensorAddress to) {
  const int last = form.lane(form.source_rows() - 1) + (form.copies() - 1) * form.apart();
  if (to.lane + static_cast<std::uint32_t>(last) >= tensor_lanes)
    misuse(say("tcgen05.cp to lane ", to.lane, ": this shape ends ", last, " lanes further on, of ",
               tensor_lanes),
           0);
  if (to.column % chunk_columns != 0)
    misuse(say("tcgen05.cp to column ", to.column, ": it must be a multiple of 4"), 0);
}

void tell_copy(Warp& warp, int lane, const CopyJob& job, const TensorBlocks& blocks) {
  TensorUse use{.access = Access::write, .deed = TensorDeed::copy, .pair = job.form.pair};
  use.cells.column = job.to.column;
  use.cells.columns = chunk_columns * static_cast<std::uint32_t>(job.form.chunks());
  for (int row = 0; row < job.form.source_rows(); ++row)
    for (int copy = 0; copy < job.form.copies(); ++copy)
      use.cells.add_lane(job.to.lane +
                         static_cast<std::uint32_t>(job.form.lane(row) + copy * job.form.apart()));
  for (Block* block : blocks) {
    use.block = block;
    warp.observer->tensor_used(warp, lane, use);
  }
}

Flow run_copy(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<CopyForm>(op);
  const auto* descriptor = warp.read<std::uint64_t>(op.a);
  each_lane_checked(mask, [&](int lane) {
    CopyJob job{.form = form,
                .from = TensorDescriptor::of(descriptor[lane]),
                .to = TensorAddress::of(tensor_bits(warp, op, 0, lane))};
    if (const std::string why = TensorDescriptor::why_invalid(descriptor[lane]); !why.empty())
      misuse("tcgen05.cp: " + why, descriptor[lane]);
    check_place(form, job.to);
    const TensorBlocks blocks = tensor_blocks(*warp.block, form.pair);
    warp.counters->async_bytes += static_cast<std::uint64_t>(form.source_rows() * form.chunks()) *
                                  chunk_bytes * static_cast<std::uint64_t>(blocks.count);
    if (warp.observer != nullptr) tell_copy(warp, lane, job, blocks);
    issue(warp, AsyncKind::product, tensor_of(warp), Mask{1} << lane, [job, blocks]() mutable {
      for (Block* block : blocks) {
        job.block = block;
        job();
      }
    });
  });
  return Flow::next;
}

constexpr std::uint32_t shift_columns = 8;

Flow run_shift(Warp& warp, const Op& op, Mask mask) {
  const bool pair = form_of<CopyForm>(op).pair;
  each_lane_checked(mask, [&](int lane) {
    const TensorAddress at = TensorAddress::of(tensor_bits(warp, op, 0, lane));
    if (at.lane != 0)
      misuse(say("tcgen05.shift at lane ", at.lane, ": only lane 0 is modelled"), 0);
    const TensorBlocks blocks = tensor_blocks(*warp.block, pair);
    if (warp.observer != nullptr)
      for (Block* block : blocks) {
        TensorUse use{
            .block = block, .access = Access::write, .deed = TensorDeed::shift, .pair = pair};
        use.cells = {.column = at.column, .columns = shift_columns};
        use.cells.lanes.fill(~0u);
        warp.observer->tensor_used(warp, lane, use);
      }
    issue(warp, AsyncKind::product, tensor_of(warp), Mask{1} << lane, [at, blocks] {
      for (Block* block : blocks) shift_down(*block, at.column);
    });
  });
  return Flow::next;
}

constexpr Modifier copy_words[] = {
    {"128x256b", TensorWord::shape, CopyShape::l128x256b},
    {"4x256b", TensorWord::shape, CopyShape::l4x256b},
    {"128x128b", TensorWord::shape, CopyShape::l128x128b},
    {"64x128b", TensorWord::shape, CopyShape::l64x128b},
    {"32x128b", TensorWord::shape, CopyShape::l32x128b},
    {"warpx2::02_13", TensorWord::rows, CopyRows::twice_02_13},
    {"warpx2::01_23", TensorWord::rows, CopyRows::twice_01_23},
    {"warpx4", TensorWord::rows, CopyRows::four_times},
    {"b8x16", TensorWord::to_bytes},
    {"b4x16_p64", TensorWord::packed, Packed::b4x16_p64},
    {"b6x16_p32", TensorWord::packed, Packed::b6x16_p32},
};

// The destination's format comes before the source's; other modifiers may be between them.
void check_formats(const Binding& b, const ModifierSet& given) {
  if (given.has(TensorWord::to_bytes) != given.has(TensorWord::packed))
    b.refuse(".b8x16 goes with .b4x16_p64 or .b6x16_p32");
  const auto& words = b.instruction().modifiers;
  const auto destination = std::find(words.begin(), words.end(), "b8x16");
  const auto is_source = [](const auto& word) {
    return word.starts_with("b4x16") || word.starts_with("b6x16");
  };
  if (destination != words.end() && std::any_of(words.begin(), destination, is_source))
    b.refuse(".b8x16 comes before the format of the source");
}

CopyForm take_copy_form(Binding& b) {
  const ModifierSet given =
      b.read_all({.words = tensor_words,
                  .more = copy_words,
                  .allowed = kinds(TensorWord::pair, TensorWord::shape, TensorWord::rows,
                                   TensorWord::to_bytes, TensorWord::packed)});
  if (!given.has(TensorWord::shape)) b.refuse("the shape, such as .128x256b, is missing");
  check_formats(b, given);
  CopyForm form;
  form.shape = given.get(TensorWord::shape, CopyShape::l128x256b);
  form.rows = given.get(TensorWord::rows, CopyRows::once);
  form.packed = given.get(TensorWord::packed, Packed::none);
  form.pair = take_pair(b, given);
  const bool fits = form.shape == CopyShape::l64x128b   ? form.copies() == 2
                    : form.shape == CopyShape::l32x128b ? form.copies() == 4
                                                        : form.copies() == 1;
  if (!fits) b.refuse(".64x128b goes with .warpx2, .32x128b with .warpx4, others with neither");
  return form;
}

}  // namespace

void shift_down(Block& block, std::uint32_t column) {
  require_columns(block.tensor, column, shift_columns, "tcgen05.shift");
  TensorMemory& memory = *block.tensor.memory;
  for (std::uint32_t lane = 0; lane < tensor_lanes; ++lane)
    if (lane % 32 != 31)
      std::memcpy(memory.row(lane) + column, memory.row(lane + 1) + column,
                  shift_columns * sizeof(std::uint32_t));
}

void bind_tensor_copy(Binding& b) {
  CopyForm form = take_copy_form(b);
  b.expect_operands(2, 2);
  bind_tensor_address(b, form.slots, 0, b.operand(0));
  b.op.a = b.read(1, Type::b64);
  set_form(b.op, form);
  b.op.run = run_copy;
}

void bind_tensor_shift(Binding& b) {
  constexpr Modifier words[] = {{"down", TensorWord::down}};
  const ModifierSet given = b.read_all(
      {.words = tensor_words, .more = words, .allowed = kinds(TensorWord::pair, TensorWord::down)});
  if (!given.has(TensorWord::down)) b.refuse("'.down' is missing");
  CopyForm form;
  form.pair = take_pair(b, given);
  b.expect_operands(1, 1);
  bind_tensor_address(b, form.slots, 0, b.operand(0));
  set_form(b.op, form);
  b.op.run = run_shift;
}

}  // namespace aisp::sim
