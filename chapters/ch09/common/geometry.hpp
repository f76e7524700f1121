// Launch geometry of the chapter's kernels: block counts in 64-bit arithmetic, and which rows fit
// the registers of one block. Host code only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/refuse.hpp"

namespace aisp::ch09 {

constexpr std::int64_t divide_up(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

// Blocks that cover `count` items, `per_block` each. A grid holds at most 2^31 - 1 of them.
inline unsigned blocks_for(std::int64_t count, std::int64_t per_block) {
  const std::int64_t blocks = divide_up(count, per_block);
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (blocks > most)
    base::refuse(base::Exit::usage, "a grid holds at most ", most, " blocks: ", count, " items at ",
                 per_block, " per block need ", blocks, "; use at most ", most * per_block);
  return static_cast<unsigned>(blocks);
}

// A thread of a row kernel holds four 16-byte vectors of its row.
inline constexpr int vectors_per_thread = 4;
inline constexpr int most_threads = 1024;

// Threads of a block that holds a row of `vectors` 16-byte vectors: whole warps.
constexpr int row_threads(std::int64_t vectors) {
  return static_cast<int>(divide_up(divide_up(vectors, vectors_per_thread), 32) * 32);
}

// Refuses a row that 16-byte accesses cannot cut evenly or that one block cannot hold.
inline void check_row(std::string_view target, std::int64_t columns, std::int64_t element_bytes) {
  const std::int64_t per_vector = 16 / element_bytes;
  const std::int64_t most = per_vector * vectors_per_thread * most_threads;
  if (columns < 1 || columns % per_vector != 0)
    base::refuse(base::Exit::usage, target, ": row length must be a multiple of ", per_vector,
                 " for 16-byte accesses: got ", columns, "; use ",
                 std::max<std::int64_t>(divide_up(columns, per_vector), 1) * per_vector);
  if (columns > most)
    base::refuse(base::Exit::usage, target, ": one block holds a row of at most ", most,
                 " elements in its registers: got ", columns, "; use ", most, " or less");
}

}  // namespace aisp::ch09
