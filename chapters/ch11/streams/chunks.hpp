// How the array is cut. Nothing overlaps with the first chunk's way in and the last one's way out:
// the chunks at both ends are small, and double up to the size of those between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace aisp::ch11 {

struct Chunk {
  std::int64_t first = 0, count = 0;  // floats
};

// 8 MiB, whose copy takes long against what starting one costs; of an array that is too short for
// that, about a thirty-second.
constexpr std::int64_t largest_chunk(std::int64_t count) {
  constexpr std::int64_t least = 1024, most = 2 << 20;
  return std::clamp((count / 32 + least - 1) / least * least, least, most);
}

inline std::vector<Chunk> chunks_of(std::int64_t count) {
  const std::int64_t largest = largest_chunk(count);
  std::vector<std::int64_t> ends;  // the sizes at either end
  for (std::int64_t size = largest / 8; size < largest && 2 * size < count; size *= 2) {
    ends.push_back(size);
    count -= 2 * size;
  }
  std::vector<std::int64_t> sizes = ends;
  for (; count > 0; count -= std::min(count, largest)) sizes.push_back(std::min(count, largest));
  sizes.insert(sizes.end(), ends.rbegin(), ends.rend());
  std::vector<Chunk> chunks;
  std::int64_t first = 0;
  for (const std::int64_t size : sizes) {
    chunks.push_back({first, size});
    first += size;
  }
  return chunks;
}

}  // namespace aisp::ch11
