// One way to copy a tensor with TMA, box by box through shared memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/case/case.hpp"

namespace aisp::ch14 {

// The axes of the target, in their order; a line counts units of 16 bytes, as TMA does.
enum ConfigAxis {
  box_width,
  box_rows,
  box_swizzle,
  ring_stages,
  sm_blocks,
  map_rank,
  line_extent,
  lines_extent,
  config_axes
};

enum class BoxMode { tile, im2col };

inline constexpr int element_bytes = 4;
inline constexpr int no_swizzle = 16;  // units of 16 bytes stay where they are

// Bytes of a box are width * rows, for all ranks: its rows are spread over the other indices.
struct CopyConfig {
  BoxMode mode = BoxMode::tile;
  int rank = 2;              // of the tensor map
  int width = 0;             // bytes along the contiguous index
  int rows = 0;              // of them in a box; in im2col mode, pixels
  int swizzle = no_swizzle;  // or 32, 64, 128
  int stages = 1;            // boxes in a block's ring
  int blocks = 1;            // per multiprocessor

  int box_bytes() const { return width * rows; }
  // Boxes begin where the pattern of the swizzle does, or at 128 bytes, as TMA wants it.
  int slot_bytes() const {
    const int pattern = swizzle == no_swizzle ? 128 : 8 * swizzle;
    return (box_bytes() + pattern - 1) / pattern * pattern;
  }
  int ring_bytes() const { return stages * slot_bytes(); }
};

// What is copied: `lines` of `line` bytes, one after the other.
struct CopyShape {
  std::int64_t line = 0, lines = 0;
};

CopyConfig config_of(const lab::Size& size);
CopyShape shape_of(const lab::Size& size);

// Why TMA or a multiprocessor of sm_90 does not take it, with the numbers; "" when they do.
std::string why_not(const CopyConfig& config, const CopyShape& shape);

// `count` as a product of so many factors, none much larger than the others, largest first.
std::vector<std::int64_t> spread(std::int64_t count, int factors);

// Stages for about so many bytes in a multiprocessor's rings.
int stages_for(CopyConfig config, int bytes);

}  // namespace aisp::ch14
