// The handlers of cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and
// cp.async.bulk.prefetch.tensor: each active lane issues its own copy.
#include <algorithm>
#include <cstring>
#include <memory>

#include "base/refuse.hpp"
#include "sim/exec/async/reduce.hpp"
#include "sim/exec/async/tma_box.hpp"
#include "sim/exec/async/tma_form.hpp"
#include "sim/exec/async/trace.hpp"
#include "sim/exec/memory/address_slots.hpp"
#include "sim/exec/sync/mbarrier.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"

namespace aisp::sim {
namespace {

using base::say;

struct TmaJob {
  TensorMap map;
  TmaRequest request;
  BoxShape shape;
  Block* block = nullptr;
  std::uint32_t shared = 0;
  Swizzle swizzle() const { return static_cast<Swizzle>(map.swizzle); }
};

// A map in global memory: kernels can write it, unlike parameters and constants.
bool may_change(Grid& grid, std::uint64_t address) {
  const auto found = grid.memory->find(address);
  return found && found->kind != MemoryKind::params && found->kind != MemoryKind::module_const;
}

MapKind kind_for(const TmaForm& form) {
  return form.mode == TmaMode::im2col_wide       ? MapKind::wide
         : form.mode == TmaMode::im2col_wide_128 ? MapKind::wide_128
         : form.pixels()                         ? MapKind::im2col
                                                 : MapKind::tiled;
}
const char* name_of(MapKind kind) {
  constexpr const char* names[] = {"tile", "im2col", "im2col::w", "im2col::w::128"};
  return names[static_cast<int>(kind)];
}

// Reads the map as it is now; the copy belongs to the operation.
TmaJob make_job(Warp& warp, const Op& op, int lane, bool store) {
  const auto form = form_of<TmaForm>(op);
  const std::uint64_t address = lane_address(warp, op, map_slot, lane);
  TmaJob job;
  std::byte* at = resolve(warp, ptx::Space::none, address, 128, 64, Access::read, lane);
  if (warp.observer != nullptr && may_change(*warp.block->grid, address))
    warp.observer->tensor_map_read(warp, lane, at);
  std::memcpy(&job.map, at, sizeof(TensorMap));
  if (job.map.magic != TensorMap::tag)
    misuse(say("the 128 bytes at ", address, " are no tensor map"), address);
  if (std::string why = why_invalid(job.map, warp.block->grid->device->major); !why.empty())
    misuse("invalid tensor map: " + why, address);
  if (job.map.rank != form.rank || job.map.kind != kind_for(form))
    misuse(say("the instruction is .", +form.rank, "d.", name_of(kind_for(form)),
               ", the tensor map ", +job.map.rank, "d ", name_of(job.map.kind)),
           address);
  const Ref* refs = warp.list(op) + 2 * form.slot_count;
  for (int i = 0; i < form.coordinates(); ++i)
    job.request.coordinate[i] = warp.read<std::int32_t>(refs[i])[lane];
  std::uint16_t offsets[3] = {};
  for (int i = 0; i < form.offsets(); ++i)
    offsets[i] =
        static_cast<std::uint16_t>(warp.read<std::uint32_t>(refs[form.coordinates() + i])[lane]);
  if (form.wide()) {
    job.request.halo = offsets[0];
    job.request.offset[0] = offsets[1];
  } else {
    std::copy(std::begin(offsets), std::end(offsets), job.request.offset);
  }
  job.request.four_rows = form.four_rows();
  job.request.store = store;
  if (std::string why = why_refused(job.map, job.request); !why.empty()) misuse(why, address);
  job.shape = box_shape(job.map, job.request);
  job.block = warp.block;
  return job;
}

void take_shared(TmaJob& job, Warp& warp, const Op& op, int lane) {
  job.shared = lane_shared(warp, op, shared_slot, lane, CopySpace::shared_cluster);
  if (job.shared % 128 != 0)
    throw Fault{FaultKind::misaligned,
                say("tensor copy with shared offset ", own_offset(job.shared),
                    ": it must be a multiple of 128"),
                job.shared, lane};
}

const std::vector<BoxRow>& rows_of(const TmaJob& job) {
  static thread_local std::vector<BoxRow> rows;
  box_rows(job.map, job.request, rows);
  return rows;
}

// Checks all rows at once when they lie in one allocation, as the rows of a tensor do.
void check_rows(Grid& grid, const std::vector<BoxRow>& rows, Access access) {
  std::uint64_t low = ~0ull, high = 0;
  for (const BoxRow& row : rows) {
    if (row.from == row.to) continue;
    low = std::min(low, row.address + row.from);
    high = std::max(high, row.address + row.to);
  }
  if (low >= high) return;
  const auto found = grid.memory->find(low);
  if (found && high <= found->end()) {
    resolve_global(grid, low, high - low, access);
    return;
  }
  for (const BoxRow& row : rows)
    if (row.from != row.to) resolve_global(grid, row.address + row.from, row.to - row.from, access);
}

// Calls body(offset in the row, pointer, bytes) for the pieces of row `index` in shared memory.
template <class Body>
void each_piece(const TmaJob& job, std::byte* box, std::uint32_t index, Body&& body) {
  const std::uint32_t start = index * job.shape.pitch, origin = own_offset(job.shared);
  if (job.map.swizzle == 0 && !job.shape.padded()) {
    body(0u, box + start, job.shape.row_bytes);
    return;
  }
  // Of padded elements 16 bytes hold fewer: the rest of them is left alone.
  const std::uint32_t chunk = swizzle_chunk(job.swizzle());
  const std::uint32_t used = chunk * job.shape.row_bytes / job.shape.width;
  for (std::uint32_t i = 0; i < job.shape.width / chunk; ++i)
    body(i * used, box + (swizzled(job.swizzle(), origin + start + i * chunk) - origin), used);
}

void tell_rows(const TmaJob& job, const std::vector<BoxRow>& rows, Access access,
               std::uint32_t barrier = Observer::no_barrier) {
  AsyncTrace trace(*job.block, barrier);
  if (!trace) return;
  for (const BoxRow& row : rows)
    if (row.from != row.to)
      trace.add(reinterpret_cast<std::byte*>(row.address + row.from), row.to - row.from, access);
  trace.flush();
}

// A swizzle keeps the bytes of a row within its pitch.
void tell_box(const TmaJob& job, std::byte* box, Access access,
              std::uint32_t barrier = Observer::no_barrier) {
  AsyncTrace trace(*job.block, barrier);
  if (!trace) return;
  if (job.shape.pitch == job.shape.row_bytes) return trace.tell(box, job.shape.extent(), access);
  for (std::uint32_t i = 0; i < job.shape.rows; ++i)
    each_piece(job, box, i, [&](std::uint32_t, std::byte* piece, std::uint32_t bytes) {
      trace.add(piece, bytes, access);
    });
  trace.flush();
}

// Rounds to nearest even; a NaN becomes this one.
std::uint32_t to_tf32(std::uint32_t bits) {
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffe000u;
  return (bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu;
}

void fill_row(const TmaJob& job, const BoxRow& row, std::byte* into) {
  constexpr std::uint16_t nan_halves = 0x7ff7;  // what hardware writes, at any element size
  if (row.from != 0 || row.to != job.shape.row_bytes) {
    std::memset(into, 0, job.shape.row_bytes);
    if (job.map.nan_fill != 0)
      for (std::uint32_t at = 0; at < job.shape.row_bytes; at += 2)
        std::memcpy(into + at, &nan_halves, 2);
  }
  const auto* from = reinterpret_cast<const std::byte*>(row.address);
  if (row.from != row.to) std::memcpy(into + row.from, from + row.from, row.to - row.from);
  if (job.map.type() != TensorType::tf32 && job.map.type() != TensorType::tf32_ftz) return;
  for (std::uint32_t at = row.from; at < row.to; at += 4) {
    std::uint32_t bits;
    std::memcpy(&bits, into + at, 4);
    bits = to_tf32(bits);
    std::memcpy(into + at, &bits, 4);
  }
}

// The blocks that a load goes to, and the barrier of each.
struct Delivery {
  struct Target {
    std::uint32_t box, barrier;  // shared::cluster addresses
  };
  std::vector<Target> targets;
};

Delivery delivery_of(const TmaJob& job, Warp& warp, const Op& op, int lane) {
  const auto form = form_of<TmaForm>(op);
  const std::uint32_t barrier =
      lane_shared(warp, op, barrier_slot, lane, CopySpace::shared_cluster);
  const std::uint32_t owner = barrier >> shared_rank_shift;
  const std::uint32_t target = job.shared >> shared_rank_shift;
  const std::uint32_t peers = form.pair ? 1 : 0;  // blocks of a pair differ in the last bit
  if ((owner | peers) != (target | peers) && !form.multicast)
    misuse(say("the mbarrier is in block ", owner, " of the cluster, the destination in block ",
               target),
           barrier);
  if (!form.multicast) return {{{job.shared, barrier}}};
  const std::uint32_t mask = warp.read<std::uint32_t>(op.a)[lane] & 0xffff;
  const auto blocks = static_cast<std::uint32_t>(warp.block->cluster->blocks.size());
  if (mask >> blocks != 0)
    misuse(say("multicast mask ", mask, " names blocks beyond the ", blocks, " of the cluster"),
           job.shared);
  Delivery delivery;
  for (std::uint32_t rank = 0; rank < blocks; ++rank) {
    if ((mask >> rank & 1) == 0) continue;
    const std::uint32_t signalled = form.pair ? (rank & ~1u) | (owner & 1) : rank;
    delivery.targets.push_back({in_block(job.shared, rank), in_block(barrier, signalled)});
  }
  return delivery;
}

void perform_load(const TmaJob& job, const Delivery& delivery) {
  const std::vector<BoxRow>& rows = rows_of(job);
  check_rows(*job.block->grid, rows, Access::read);
  std::vector<std::byte*> boxes;
  for (const auto& target : delivery.targets)
    boxes.push_back(resolve_shared(*job.block, target.box, job.shape.extent(), Access::write));
  if (!boxes.empty()) tell_rows(job, rows, Access::read, delivery.targets[0].barrier);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    tell_box(job, boxes[i], Access::write, delivery.targets[i].barrier);
  std::byte row[2048];  // 256 elements of 8 bytes
  for (std::uint32_t i = 0; i < job.shape.rows; ++i) {
    fill_row(job, rows[i], row);
    for (std::byte* box : boxes)
      each_piece(job, box, i, [&](std::uint32_t at, std::byte* piece, std::uint32_t bytes) {
        std::memcpy(piece, row + at, bytes);
      });
  }
  for (const auto& target : delivery.targets)
    mbarrier_apply(*job.block, target.barrier, MBarrierAction::complete_tx, job.shape.bytes());
}

// Sixteen bytes with 6 bits in the low ones of each, as the 12 bytes that they are in global
// memory.
void pack_six(const std::byte* from, std::byte* to) {
  for (int i = 0; i < 16; i += 4) {
    std::uint32_t word = 0;
    for (int j = 0; j < 4; ++j) word |= (static_cast<std::uint32_t>(from[i + j]) & 63) << 6 * j;
    std::memcpy(to + i / 4 * 3, &word, 3);
  }
}

std::vector<std::byte> capture(const TmaJob& job) {
  std::vector<std::byte> data(job.shape.bytes());
  std::byte* box = resolve_shared(*job.block, job.shared, job.shape.extent(), Access::read);
  tell_box(job, box, Access::read);
  for (std::uint32_t i = 0; i < job.shape.rows; ++i)
    each_piece(job, box, i, [&](std::uint32_t at, const std::byte* piece, std::uint32_t bytes) {
      std::byte* to = data.data() + std::size_t{i} * job.shape.row_bytes + at;
      if (job.shape.padded())
        pack_six(piece, to);
      else
        std::memcpy(to, piece, bytes);
    });
  return data;
}

// Loads are clipped at the tensor's edge by the element, stores by 16 bytes of global memory: the
// hardware writes what the box holds up to the end of the 16 bytes that the edge cuts. Measured.
std::vector<BoxRow> rows_to_store(const TmaJob& job) {
  std::vector<BoxRow> rows = rows_of(job);
  for (BoxRow& row : rows) {
    if (row.from == row.to) continue;
    const std::uint64_t end = (row.address + row.to + 15) / 16 * 16;
    row.to =
        std::min<std::uint32_t>(static_cast<std::uint32_t>(end - row.address), job.shape.row_bytes);
  }
  return rows;
}

void perform_store(const TmaJob& job, const std::vector<std::byte>& data, Reducer reducer) {
  const std::vector<BoxRow> rows = reducer != nullptr ? rows_of(job) : rows_to_store(job);
  const Access access = reducer != nullptr ? Access::atomic : Access::write;
  check_rows(*job.block->grid, rows, access);
  tell_rows(job, rows, access);
  for (std::uint32_t i = 0; i < job.shape.rows; ++i) {
    const BoxRow& row = rows[i];
    if (row.from == row.to) continue;
    auto* into = reinterpret_cast<std::byte*>(row.address + row.from);
    const std::byte* from = data.data() + std::size_t{i} * job.shape.row_bytes + row.from;
    if (reducer != nullptr)
      reducer(into, from, row.to - row.from);
    else
      std::memcpy(into, from, row.to - row.from);
  }
}

}  // namespace

Flow run_tma_load(Warp& warp, const Op& op, Mask mask) {
  each_lane_checked(mask, [&](int lane) {
    TmaJob job = make_job(warp, op, lane, false);
    take_shared(job, warp, op, lane);
    Delivery delivery = delivery_of(job, warp, op, lane);
    warp.counters->async_bytes += job.shape.bytes() * delivery.targets.size();
    if (warp.observer != nullptr)
      for (const auto& target : delivery.targets)
        warp.observer->mbarrier_named(warp, lane, target.barrier);
    issue(warp, AsyncKind::bulk_load, lane,
          [job, delivery = std::move(delivery)] { perform_load(job, delivery); });
  });
  return Flow::next;
}

Flow run_tma_store(Warp& warp, const Op& op, Mask mask) {
  const auto form = form_of<TmaForm>(op);
  each_lane_checked(mask, [&](int lane) {
    TmaJob job = make_job(warp, op, lane, true);
    take_shared(job, warp, op, lane);
    Reducer reducer = nullptr;
    if (form.reduce != ReduceOp::none) {
      reducer = find_reducer(form.reduce, job.map.type());
      if (reducer == nullptr)
        misuse(say("no such reduction of elements of type ", +job.map.element_type), job.shared);
    }
    if (job.swizzle() == Swizzle::b128_atom32_flip8)
      misuse("a store cannot undo the swizzle with flipped halves", job.shared);
    warp.counters->async_bytes += job.shape.bytes();
    auto data = std::make_shared<std::vector<std::byte>>();
    issue(
        warp, AsyncKind::bulk_store, bulk_of(warp), Mask{1} << lane,
        [job, data, reducer] { perform_store(job, *data, reducer); },
        [job, data] { *data = capture(job); });
  });
  return Flow::next;
}

// A prefetch changes nothing that a program could see.
Flow run_tma_prefetch(Warp& warp, const Op& op, Mask mask) {
  each_lane_checked(mask, [&](int lane) { make_job(warp, op, lane, false); });
  return Flow::next;
}

}  // namespace aisp::sim
