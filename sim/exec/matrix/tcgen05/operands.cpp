#include "sim/exec/matrix/tcgen05/operands.hpp"

#include <bit>
#include <cstring>
#include <vector>

#include "base/refuse.hpp"
#include "sim/exec/async/trace.hpp"
#include "sim/exec/tensor_memory/decompress.hpp"
#include "sim/machine/access.hpp"

namespace aisp::sim {
namespace {

using base::say;

constexpr int chunk_bytes = 16;

// How elements lie in 16 bytes.
enum class Container : std::uint8_t { words, halves, bytes, nibbles, padded_4, padded_6 };

Container container_of(Type type, bool fours) {
  switch (type) {
    case Type::tf32:
      return Container::words;
    case Type::f16:
    case Type::bf16:
      return Container::halves;
    case Type::e2m1:
      return fours ? Container::nibbles : Container::padded_4;
    case Type::e2m3:
    case Type::e3m2:
      return Container::padded_6;
    default:
      return Container::bytes;
  }
}

int per_chunk(Container container) {
  switch (container) {
    case Container::words:
      return 4;
    case Container::halves:
      return 8;
    case Container::nibbles:
      return 32;
    default:
      return 16;
  }
}

template <class Element>
void spread(const std::byte* from, std::uint32_t* to, int step) {
  Element values[chunk_bytes / sizeof(Element)];
  std::memcpy(values, from, chunk_bytes);
  for (const Element value : values) {
    *to = value;
    to += step;
  }
}

void unpack(Container container, const std::byte* from, std::uint32_t* to, int step) {
  std::uint8_t bytes[chunk_bytes];
  switch (container) {
    case Container::words:
      return spread<std::uint32_t>(from, to, step);
    case Container::halves:
      return spread<std::uint16_t>(from, to, step);
    case Container::bytes:
      return spread<std::uint8_t>(from, to, step);
    case Container::nibbles:
      std::memcpy(bytes, from, chunk_bytes);
      for (int i = 0; i < 2 * chunk_bytes; ++i) to[i * step] = bytes[i / 2] >> i % 2 * 4 & 15u;
      return;
    case Container::padded_4:
    case Container::padded_6: {
      std::memcpy(bytes, from, chunk_bytes);
      const Packed packed =
          container == Container::padded_4 ? Packed::b4x16_p64 : Packed::b6x16_p32;
      for (int i = 0; i < chunk_bytes; ++i) to[i * step] = packed_element(packed, bytes, i);
      return;
    }
  }
}

// The chunks that were read, told as few ranges as they make.
class ChunksRead {
 public:
  explicit ChunksRead(Block& block) : block_(block), trace_(block) {
    if (trace_) read_.resize(block.shared_bytes / (64 * chunk_bytes) + 1);
  }
  void add(std::uint32_t offset) {
    if (read_.empty()) return;
    const std::uint32_t chunk = offset / chunk_bytes;
    read_[chunk / 64] |= std::uint64_t{1} << chunk % 64;
  }
  ~ChunksRead() noexcept(false) {
    if (read_.empty()) return;
    for (std::size_t word = 0; word < read_.size(); ++word)
      for (std::uint64_t left = read_[word]; left != 0; left &= left - 1) {
        const std::size_t chunk = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
        trace_.add(block_.shared + chunk * chunk_bytes, chunk_bytes, Access::read);
      }
    trace_.flush();
  }
  ChunksRead(const ChunksRead&) = delete;
  ChunksRead& operator=(const ChunksRead&) = delete;

 private:
  Block& block_;
  AsyncTrace trace_;
  std::vector<std::uint64_t> read_;  // bit per chunk
};

}  // namespace

void read_shared_matrix(Block& block, const TensorDescriptor& from, Type type, bool fours,
                        bool mn_major, const MatrixPart& part) {
  const Container container = container_of(type, fours);
  const int per = per_chunk(container);
  ChunksRead told(block);
  const auto chunk_at = [&](std::uint32_t offset) {
    const std::byte* at =
        resolve_shared(block, block.rank << shared_rank_shift | offset, chunk_bytes, Access::read);
    told.add(offset);
    return at;
  };
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };
  if (mn_major) {
    for (int k = 0; k < part.k; ++k)
      for (int mn = 0; mn < part.count; mn += per)
        unpack(container, chunk_at(from.mn_major(number(mn / per), number(k))),
               part.to + mn * part.mn_step + k * part.k_step, part.mn_step);
    return;
  }
  for (int mn = 0; mn < part.count; ++mn)
    for (int k = 0; k < part.k; k += per)
      unpack(container, chunk_at(from.k_major(number(mn), number(k / per))),
             part.to + mn * part.mn_step + k * part.k_step, part.k_step);
}

void check_matrix(std::uint64_t descriptor, Type type, bool mn_major, bool sparse_b, char operand) {
  const auto refuse = [&](const std::string& why) {
    misuse(say("tcgen05.mma: ", operand, ": ", why), descriptor);
  };
  if (const std::string why = TensorDescriptor::why_invalid(descriptor); !why.empty()) refuse(why);
  using Swizzle = TensorDescriptor::Swizzle;
  const Swizzle swizzle = TensorDescriptor::of(descriptor).swizzle;
  const bool atoms = swizzle == Swizzle::b128_atom32;
  if (atoms && !mn_major) refuse("a swizzle in atoms of 32 bytes is for MN-major matrices");
  if (mn_major && (type == Type::tf32) != atoms)
    refuse(atoms ? "a swizzle in atoms of 32 bytes is for tf32"
                 : "tf32 that is MN-major has a swizzle of 128 bytes in atoms of 32");
  if (sparse_b && !mn_major && swizzle == Swizzle::b32)
    refuse("64 bytes along K in rows of 32 are not modelled: take a wider swizzle");
}

void read_tensor_row(TensorMemory& memory, int lane, std::uint32_t column, Type type, bool fours,
                     std::uint32_t* to) {
  constexpr int columns = 8, row_chunks = 2;
  const std::uint32_t* row = memory.row(static_cast<std::uint32_t>(lane)) + column;
  Container container = container_of(type, fours);
  const bool bytes = container == Container::padded_4 || container == Container::padded_6;
  if (bytes) container = Container::bytes;  // each in one of its own here
  std::byte cells[columns * sizeof(std::uint32_t)];
  std::memcpy(cells, row, sizeof cells);
  for (int chunk = 0; chunk < row_chunks; ++chunk)
    unpack(container, cells + chunk * chunk_bytes, to + chunk * per_chunk(container), 1);
  if (!bytes) return;
  const bool four = type == Type::e2m1;
  for (int i = 0; i < row_chunks * chunk_bytes; ++i) to[i] = four ? to[i] >> 2 & 15 : to[i] & 63;
}

}  // namespace aisp::sim
