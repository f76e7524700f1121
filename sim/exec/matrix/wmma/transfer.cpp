// wmma.load and wmma.store. In registers a fragment lies the same way whatever its layout in
// memory.
#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/exec/matrix/registers.hpp"
#include "sim/exec/matrix/wmma/form.hpp"
#include "sim/exec/memory/access.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {
namespace {

// Elements of less than a byte move by whole registers.
int per_register(Type type) {
  const int bits = register_bits(type);
  return bits < 8 || bits > 32 ? 1 : 32 / bits;
}
int unit_elements(Type type) { return register_bits(type) < 8 ? 32 / register_bits(type) : 1; }
WmmaShape in_units(WmmaShape shape, Type type) {
  return {shape.m, shape.n, shape.k / unit_elements(type)};
}

MatrixElement place_of(WmmaShape shape, WmmaRole role, int lane, int reg, int at, int per) {
  switch (role) {
    case WmmaRole::a:
      return wmma_a(shape, lane, reg, at, per);
    case WmmaRole::b:
      return wmma_b(shape, lane, reg, at, per);
    default:
      return wmma_c(shape, lane, reg * per + at);
  }
}

struct Memory2D {  // a matrix in memory
  std::uint64_t base = 0;
  std::int64_t pitch = 0;  // elements between rows or columns
  bool row_major = true;
  int bits = 0, unit = 1;  // of an element; elements of the unit that places count along k
  std::uint64_t at(MatrixElement place) const {
    const std::int64_t along = row_major ? place.column : place.row;
    const std::int64_t across = row_major ? place.row : place.column;
    return base + static_cast<std::uint64_t>((across * pitch + along * unit) * bits / 8);
  }
};

Memory2D memory_of(const Warp& warp, const Op& op, const WmmaTransfer& transfer, int lane) {
  const WmmaShape shape = wmma_shapes()[transfer.shape].shape;
  const int rows = transfer.role == WmmaRole::b ? shape.k : shape.m;
  const int columns = transfer.role == WmmaRole::a ? shape.k : shape.n;
  const std::uint64_t base =
      transfer.wide ? warp.read<std::uint64_t>(op.a)[lane] : warp.read<std::uint32_t>(op.a)[lane];
  return {.base = base + static_cast<std::uint64_t>(transfer.offset),
          .pitch = op.b != no_ref       ? warp.read<std::uint32_t>(op.b)[lane]
                   : transfer.row_major ? columns
                                        : rows,
          .row_major = transfer.row_major,
          .bits = register_bits(transfer.type),
          .unit = unit_elements(transfer.type)};
}

ptx::Space space_of(const Op& op) {
  switch (form_of<WmmaTransfer>(op).where) {
    case Where::shared:
      return ptx::Space::shared;
    case Where::global:
      return ptx::Space::global;
    default:
      return ptx::Space::none;
  }
}

// Calls move(memory, lane, reg, first bit, bytes) for every piece of every register, as few as the
// layout allows.
template <class Move>
void resolve_pieces(Warp& warp, const Op& op, Mask mask, Access access, Move&& move) {
  const auto transfer = form_of<WmmaTransfer>(op);
  const WmmaShape shape = in_units(wmma_shapes()[transfer.shape].shape, transfer.type);
  const int per = per_register(transfer.type);
  const std::uint32_t bytes = std::max(register_bits(transfer.type), 32 / per) / 8;
  const ptx::Space space = space_of(op);
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Memory2D memory = memory_of(warp, op, transfer, lane);
    const auto address = [&](int reg, int at) {
      return memory.at(place_of(shape, transfer.role, lane, reg, at, per));
    };
    for (int reg = 0; reg < op.list_size; ++reg) {
      const bool whole = per > 1 && address(reg, per - 1) - address(reg, 0) == bytes * (per - 1) &&
                         address(reg, 0) % 4 == 0;
      const std::uint32_t size = whole ? bytes * static_cast<std::uint32_t>(per) : bytes;
      for (int at = 0; at < (whole ? 1 : per); ++at)
        move(resolve(warp, space, address(reg, at), size, size, access, lane), lane, reg,
             static_cast<int>(8 * bytes) * at, size);
    }
  }
}

// The same piece of all lanes is one access for the observer.
struct PieceOfLanes {
  std::byte* at[lanes];
  Mask mask = 0;
  int reg = 0, bit = 0;
  std::uint32_t bytes = 0;
};

std::vector<PieceOfLanes> gather_pieces(Warp& warp, const Op& op, Mask mask, Access access) {
  std::vector<PieceOfLanes> pieces;
  resolve_pieces(warp, op, mask, access,
                 [&](std::byte* memory, int lane, int reg, int bit, std::uint32_t bytes) {
                   auto found = std::find_if(pieces.begin(), pieces.end(), [&](const auto& piece) {
                     return piece.reg == reg && piece.bit == bit && piece.bytes == bytes;
                   });
                   if (found == pieces.end())
                     found = pieces.insert(found, {.reg = reg, .bit = bit, .bytes = bytes});
                   found->at[lane] = memory;
                   found->mask |= Mask{1} << lane;
                 });
  return pieces;
}

template <class Move>
void each_piece(Warp& warp, const Op& op, Mask mask, Access access, Move&& move) {
  if (warp.observer == nullptr) return resolve_pieces(warp, op, mask, access, move);
  for (const PieceOfLanes& piece : gather_pieces(warp, op, mask, access)) {
    tell_access(warp, piece.mask, piece.at, {.access = access, .bytes = piece.bytes});
    for (Mask left = piece.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      move(piece.at[lane], lane, piece.reg, piece.bit, piece.bytes);
    }
    if (access == Access::write) wrote(warp);
  }
}

void count(Warp& warp, const Op& op, Mask mask, bool is_load) {
  if (!warp.detailed) return;
  const auto transfer = form_of<WmmaTransfer>(op);
  const int lane_bytes = op.list_size * (transfer.type == Type::f64 ? 8 : 4);
  const std::uint64_t bytes = static_cast<std::uint64_t>(lane_bytes) * std::popcount(mask);
  const bool shared = space_of(op) == ptx::Space::shared;
  Counters& counters = *warp.counters;
  (is_load ? (shared ? counters.shared_read : counters.global_read)
           : (shared ? counters.shared_written : counters.global_written)) += bytes;
}

}  // namespace

Flow run_wmma_load(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const Ref* refs = warp.list(op);
  std::uint64_t values[8][lanes] = {};
  each_piece(warp, op, mask, Access::read,
             [&](const std::byte* from, int lane, int reg, int bit, std::uint32_t bytes) {
               std::uint64_t piece = 0;
               std::memcpy(&piece, from, bytes);
               values[reg][lane] |= piece << bit;
             });
  const bool wide = form_of<WmmaTransfer>(op).type == Type::f64;
  for (int reg = 0; reg < op.list_size; ++reg) {
    if (refs[reg] == no_ref) continue;
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (wide)
        warp.write<std::uint64_t>(refs[reg])[lane] = values[reg][lane];
      else
        warp.write<std::uint32_t>(refs[reg])[lane] = static_cast<std::uint32_t>(values[reg][lane]);
    }
  }
  count(warp, op, mask, true);
  return Flow::next;
}

Flow run_wmma_store(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const Ref* refs = warp.list(op);
  const bool wide = form_of<WmmaTransfer>(op).type == Type::f64;
  each_piece(warp, op, mask, Access::write,
             [&](std::byte* to, int lane, int reg, int bit, std::uint32_t bytes) {
               const std::uint64_t value = wide ? warp.read<std::uint64_t>(refs[reg])[lane]
                                                : warp.read<std::uint32_t>(refs[reg])[lane];
               const std::uint64_t piece = value >> bit;
               std::memcpy(to, &piece, bytes);
             });
  count(warp, op, mask, false);
  return Flow::next;
}

}  // namespace aisp::sim
