#include <algorithm>
#include <cstring>
#include <vector>

#include "base/refuse.hpp"
#include "sim/exec/async/trace.hpp"
#include "sim/exec/matrix/maps.hpp"
#include "sim/exec/matrix/product/product.hpp"
#include "sim/exec/matrix/registers.hpp"
#include "sim/exec/matrix/sparse.hpp"
#include "sim/exec/matrix/wgmma/descriptor.hpp"
#include "sim/exec/matrix/wgmma/form.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/async.hpp"
#include "sim/machine/collective.hpp"

namespace aisp::sim {
namespace {

constexpr int warp_rows = 16, group_warps = 4, chunk_bytes = 16;

// Operands of one warp and instruction; too large to lie twice on the stack of a thread.
struct Scratch {
  alignas(32) std::uint32_t a[max_matrix_a], b[max_matrix_b], c[max_matrix_c];
  std::uint8_t index[max_matrix_a];
};
// Not inlined: in a shared library each use of such a variable's address may become a call.
[[gnu::noinline]] Scratch& thread_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

// Whole words of b1 are one element here.
int element_bytes(Type type) { return type == Type::b1 ? 4 : register_bits(type) / 8; }
int elements(Type type, int count) { return type == Type::b1 ? count / 32 : count; }

// Shared memory of the warp's own block, by chunks of sixteen bytes.
class SharedChunks {
 public:
  explicit SharedChunks(Block& block)
      : block_(block), first_(static_cast<std::uint32_t>(block.grid->device->shared_reserved)) {}
  const std::byte* at(std::uint32_t offset) const {
    if (offset >= first_ && offset < block_.shared_bytes &&
        block_.shared_bytes - offset >= chunk_bytes) [[likely]]
      return block_.shared + offset;
    // Throws what is wrong with the address.
    return resolve_shared(block_, block_.rank << shared_rank_shift | offset, chunk_bytes,
                          Access::read);
  }

 private:
  Block& block_;
  std::uint32_t first_;
};

// A chunk as words of one element each.
template <class Element>
void read_chunk(const std::byte* from, std::uint32_t* to, int step) {
  Element values[chunk_bytes / sizeof(Element)];
  std::memcpy(values, from, chunk_bytes);
  for (const Element value : values) {
    *to = value;
    to += step;
  }
}

struct Destination {  // of a matrix in an array: distance of neighbours in M or N, and along k
  std::uint32_t* to;
  int mn_step, k_step;
};

template <class Element>
void read_matrix(Block& block, const MatrixDescriptor& from, bool mn_major, int first, int count,
                 int k, Destination into) {
  constexpr int per_chunk = chunk_bytes / sizeof(Element);
  const SharedChunks chunks(block);
  if (mn_major) {
    for (int at = 0; at < k; ++at)
      for (int mn = 0; mn < count; mn += per_chunk)
        read_chunk<Element>(chunks.at(from.mn_major((first + mn) / per_chunk, at)),
                            into.to + mn * into.mn_step + at * into.k_step, into.mn_step);
  } else {
    for (int mn = 0; mn < count; ++mn)
      for (int at = 0; at < k; at += per_chunk)
        read_chunk<Element>(chunks.at(from.k_major(first + mn, at / per_chunk)),
                            into.to + mn * into.mn_step + at * into.k_step, into.k_step);
  }
}

void read_matrix(Block& block, std::uint64_t descriptor, Type type, bool mn_major, int first,
                 int count, int k, Destination into) {
  const MatrixDescriptor from = MatrixDescriptor::of(descriptor);
  switch (element_bytes(type)) {
    case 1:
      return read_matrix<std::uint8_t>(block, from, mn_major, first, count, k, into);
    case 2:
      return read_matrix<std::uint16_t>(block, from, mn_major, first, count, k, into);
    default:
      return read_matrix<std::uint32_t>(block, from, mn_major, first, count, k, into);
  }
}

// The bytes that read_matrix reads, as few ranges as they make.
void tell_matrix(Block& block, std::uint64_t descriptor, Type type, bool mn_major, int first,
                 int count, int k) {
  const MatrixDescriptor from = MatrixDescriptor::of(descriptor);
  const int per_chunk = chunk_bytes / element_bytes(type);
  std::vector<std::uint64_t> read(block.shared_bytes / (64 * chunk_bytes) + 1);  // bit per chunk
  const auto mark = [&](std::uint32_t offset) {
    const std::uint32_t chunk = offset / chunk_bytes;
    read[chunk / 64] |= std::uint64_t{1} << chunk % 64;
  };
  if (mn_major) {
    for (int at = 0; at < k; ++at)
      for (int mn = 0; mn < count; mn += per_chunk)
        mark(from.mn_major((first + mn) / per_chunk, at));
  } else {
    for (int mn = 0; mn < count; ++mn)
      for (int at = 0; at < k; at += per_chunk) mark(from.k_major(first + mn, at / per_chunk));
  }
  AsyncTrace trace(block);
  for (std::size_t word = 0; word < read.size(); ++word)
    for (std::uint64_t left = read[word]; left != 0; left &= left - 1) {
      const std::size_t chunk = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      trace.add(block.shared + chunk * chunk_bytes, chunk_bytes, Access::read);
    }
  trace.flush();
}

void read_a_registers(const Warp& warp, const WgmmaForm& form, const Ref* refs, int width,
                      std::uint32_t* a) {
  const int bits = 8 * element_bytes(form.a), per = 32 / bits;
  for (int reg = 0; reg < 4; ++reg) {
    const auto* words = warp.read<std::uint32_t>(refs[reg]);
    for (int lane = 0; lane < lanes; ++lane) {
      for (int at = 0; at < per; ++at) {
        const MatrixElement place = mma_a(lane, reg, at, per);
        const std::uint32_t mask = ~std::uint32_t{0} >> (32 - bits);
        a[place.row * width + place.column] = words[lane] >> at * bits & mask;
      }
    }
  }
}

// Eight rows of eight neighbours, as the map of D has them: two elements of each of four lanes.
// They are in one register or in two, and are asked for together: elements one by one take far
// longer.
template <class Word>
struct AccumulatorTile {
  Word* low;
  Word* high;
  MatrixElement first;  // of lane 0
};
template <class Word, class Registers>
AccumulatorTile<Word> tile_of(Registers registers, const Ref* refs, bool packed, int element) {
  Word* low = registers(refs[packed ? element / 2 : element]);
  return {low, packed ? low : registers(refs[element + 1]), mma_c(0, element)};
}

void read_accumulators(const Warp& warp, const WgmmaForm& form, const Ref* refs,
                       std::uint32_t* matrix) {
  const int n = form.n();
  const bool packed = form.d == Type::f16;
  const std::uint32_t mask = packed ? 0xffffu : ~0u;
  const int shift = packed ? 16 : 0;
  for (int element = 0; element < warp_rows * n / lanes; element += 2) {
    const auto from = tile_of<const std::uint32_t>(
        [&](Ref ref) { return warp.read<std::uint32_t>(ref); }, refs, packed, element);
    for (int row = 0; row < 8; ++row) {
      std::uint32_t* c = matrix + (from.first.row + row) * n + from.first.column;
      for (int i = 0; i < 4; ++i) {
        c[2 * i] = from.low[4 * row + i] & mask;
        c[2 * i + 1] = from.high[4 * row + i] >> shift;
      }
    }
  }
}

void write_accumulators(Warp& warp, const WgmmaForm& form, const Ref* refs,
                        const std::uint32_t* matrix) {
  const int n = form.n();
  const bool packed = form.d == Type::f16;
  for (int element = 0; element < warp_rows * n / lanes; element += 2) {
    const auto to = tile_of<std::uint32_t>([&](Ref ref) { return warp.write<std::uint32_t>(ref); },
                                           refs, packed, element);
    for (int row = 0; row < 8; ++row) {
      const std::uint32_t* c = matrix + (to.first.row + row) * n + to.first.column;
      for (int i = 0; i < 4; ++i) {
        if (packed) {
          to.low[4 * row + i] = c[2 * i] | c[2 * i + 1] << 16;
        } else {
          to.low[4 * row + i] = c[2 * i];
          to.high[4 * row + i] = c[2 * i + 1];
        }
      }
    }
  }
}

void negate(std::uint32_t* codes, int count, Type type) {
  const std::uint32_t sign = 1u << (register_bits(type) - 1);
  for (int i = 0; i < count; ++i) codes[i] ^= sign;
}

}  // namespace

void WgmmaProduct::operator()() const {
  Scratch& work = thread_scratch();
  const auto form = form_of<WgmmaForm>(*op);
  const Ref* refs = warp->list(*op);
  const int n = form.n(), k = elements(form.b, form.k());
  const int products = elements(form.a, form.products());
  if (form.a_in_registers)
    read_a_registers(*warp, form, refs + form.accumulators(), products, work.a);
  else
    read_matrix(*warp->block, a_descriptor, form.a, form.a_mn_major,
                warp->index % group_warps * warp_rows, warp_rows, products, {work.a, products, 1});
  read_matrix(*warp->block, b_descriptor, form.b, form.b_mn_major, 0, n, k, {work.b, 1, n});
  if (warp->observer != nullptr) [[unlikely]] {
    if (!form.a_in_registers)
      tell_matrix(*warp->block, a_descriptor, form.a, form.a_mn_major,
                  warp->index % group_warps * warp_rows, warp_rows, products);
    tell_matrix(*warp->block, b_descriptor, form.b, form.b_mn_major, 0, n, k);
  }
  if (accumulate)
    read_accumulators(*warp, form, refs, work.c);
  else
    std::fill_n(work.c, warp_rows * n, 0u);
  if (form.negate_a) negate(work.a, warp_rows * products, form.a);
  if (form.negate_b) negate(work.b, k * n, form.b);

  const MatrixProduct product{.m = warp_rows,
                              .n = n,
                              .products = products,
                              .k = k,
                              .a = work.a,
                              .b = work.b,
                              .index = form.sparse ? work.index : nullptr,
                              .c = work.c};
  if (form.sparse)
    sparse_index(form.a, form.k(), form.selector, warp->read<std::uint32_t>(op->c), work.index);
  if (form.a == Type::b1)
    multiply_bits(product, false);
  else if (is_integer(form.a))
    multiply_integers(product, form.a, form.b, form.saturate);
  else
    multiply_floats(product, form.a, form.b, form.d,
                    float_rule(warp->block->grid->device->tensor, form.a, true));
  write_accumulators(*warp, form, refs, work.c);
}

Flow run_wgmma(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  const auto form = form_of<WgmmaForm>(op);
  const int first = warp.index / group_warps * group_warps;
  if (mask != all_lanes || warp.block->warps.size() < static_cast<std::size_t>(first + group_warps))
    throw Fault{FaultKind::illegal_instruction,
                base::say("wgmma needs a whole warpgroup: four warps of 32 threads beginning with "
                          "warp ",
                          first, ", the block has ", warp.block->threads, " threads"),
                0, -1};
  WgmmaProduct product{.warp = &warp, .op = &op};
  if (!form.a_in_registers) product.a_descriptor = warp.read<std::uint64_t>(op.a)[0];
  product.b_descriptor = warp.read<std::uint64_t>(op.b)[0];
  product.accumulate = ((warp.predicate(op.d) & 1) != 0) != form.scale_d_negated;
  warp.counters->tensor_operations += 2ull * warp_rows * form.n() * form.k();
  if (warp.observer != nullptr) warp.observer->product_issued(warp, op);
  issue(warp, AsyncKind::product, products_of(warp), mask, product);
  return Flow::next;
}

Flow run_wgmma_fence(Warp& warp, const Op&, Mask mask) {
  if (gather(warp, mask, all_lanes) == 0) return Flow::wait;
  if (warp.observer != nullptr) warp.observer->wgmma_fence(warp);
  return Flow::next;
}

Flow run_wgmma_commit(Warp& warp, const Op&, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  products_of(warp).commit(mask);
  const std::size_t first = warp.index / group_warps * group_warps;
  auto& warps = warp.block->warps;
  for (std::size_t i = first; i < std::min(first + group_warps, warps.size()); ++i)
    if (warps[i]->products && warps[i]->products->behind_others) warp.block->cluster->moved();
  if (warp.observer != nullptr) warp.observer->committed(warp, mask, AsyncKind::product);
  return Flow::next;
}

// A product belongs to the whole warpgroup: it begins when all four warps have issued it and ends
// for all of them at once. So one warp's wait, which ends before the others have come to theirs, is
// enough to say that the operands can be overwritten (docs/hazards.md has the measurement).
Flow run_wgmma_wait(Warp& warp, const Op& op, Mask mask) {
  if ((mask = gather(warp, mask, all_lanes)) == 0) return Flow::wait;
  AsyncQueue& own = products_of(warp);
  Cluster& cluster = *warp.block->cluster;
  auto& warps = warp.block->warps;
  const auto left = static_cast<std::uint32_t>(op.imm);
  const std::uint32_t ended = own.open[0] - std::min(own.open[0], left);  // groups, from the first
  const std::size_t first = warp.index / group_warps * group_warps;
  const std::size_t end = std::min(first + group_warps, warps.size());
  own.behind_others = false;
  for (std::size_t i = first; i < end; ++i)
    own.behind_others |= warps[i]->alive != 0 && products_of(*warps[i]).open[0] < ended;
  if (own.behind_others) {
    warp.lane_group->wait = {.kind = Wait::Kind::async_group};
    return Flow::wait;
  }
  for (std::size_t i = first; i < end; ++i) {
    AsyncQueue& queue = products_of(*warps[i]);
    complete_groups(cluster, queue, all_lanes, queue.open[0] - std::min(queue.open[0], ended));
  }
  if (Observer* observer = warp.observer; observer != nullptr) {
    observer->groups_waited(warp, all_lanes, AsyncKind::product, left, false);
    observer->products_ended(warp, static_cast<int>(first), ended);
  }
  return Flow::next;
}

}  // namespace aisp::sim
