// How a tile of A or B lies in shared memory so that the copy engine writes it and wgmma reads it:
// one statement for both, because they must agree on boxes, swizzle and strides.
#pragma once

#include "tile/atom/element.hpp"

namespace tile {

// Rows of `swizzle` bytes whose 16-byte chunks are permuted within groups of 8 rows, so that
// neither side meets a bank conflict. Plain: 16-byte columns one after the other, no permutation.
enum class BoxSwizzle { none = 16, bytes_32 = 32, bytes_64 = 64, bytes_128 = 128 };
TILE_FN int width_of(BoxSwizzle swizzle) { return static_cast<int>(swizzle); }

// The widest swizzle whose rows a line of `bytes` fills.
TILE_FN BoxSwizzle widest_swizzle(int bytes) {
  return bytes % 128 == 0  ? BoxSwizzle::bytes_128
         : bytes % 64 == 0 ? BoxSwizzle::bytes_64
         : bytes % 32 == 0 ? BoxSwizzle::bytes_32
                           : BoxSwizzle::none;
}

// A tile is cut into boxes `swizzle` bytes wide along the contiguous index; they follow each other
// in shared memory, each with all of the tile's other index.
struct OperandTile {
  Element element = Element::bf16;
  Major major = Major::k;
  int rows = 0;  // along m or n
  int k = 0;     // both in elements
  BoxSwizzle swizzle = BoxSwizzle::bytes_128;

  TILE_FN int bytes() const { return rows * k * bytes_of(element); }
  TILE_FN int line_bytes() const { return (major == Major::k ? k : rows) * bytes_of(element); }
  TILE_FN int lines() const { return major == Major::k ? rows : k; }               // of one box
  TILE_FN int box_width() const { return width_of(swizzle) / bytes_of(element); }  // elements
  TILE_FN int boxes() const { return line_bytes() / width_of(swizzle); }
  TILE_FN int box_bytes() const { return lines() * width_of(swizzle); }

  // One instruction takes 32 bytes along k of a K-major row: 16 elements of 16 bits.
  TILE_FN int step_k() const { return 32 / bytes_of(element); }
  TILE_FN int steps() const { return k / step_k(); }

  // Where the operand of an instruction starts that reads rows from `row` on and the k elements of
  // `step`, in bytes from the start of the tile.
  TILE_FN int start(int row, int step) const {
    const int width = width_of(swizzle);
    if (major == Major::k) return row * width + step * 32 / width * box_bytes() + step * 32 % width;
    return row * bytes_of(element) / width * box_bytes() + step * step_k() * width;
  }
  // Where one element lies. The start of the tile is a multiple of the pattern's 1024 bytes.
  TILE_FN int offset(int row, int at_k) const {
    const int width = width_of(swizzle), line = major == Major::k ? row : at_k;
    const int across = (major == Major::k ? at_k : row) * bytes_of(element);
    const int plain = across / width * box_bytes() + line * width + across % width;
    return plain ^ (plain >> 3 & (width - 16));
  }
  // The two distances of wgmma's descriptor. K-major: from one group of 8 rows to the next
  // (`stride`) and, without swizzle, from one 16-byte column to the next (`leading`). MN-major:
  // from 8 k to the next (`stride`) and from box to box (`leading`), without swizzle exchanged.
  TILE_FN int stride_bytes() const {
    return major == Major::mn && swizzle == BoxSwizzle::none ? box_bytes() : 8 * width_of(swizzle);
  }
  TILE_FN int leading_bytes() const {
    return major == Major::mn && swizzle == BoxSwizzle::none ? 8 * width_of(swizzle) : box_bytes();
  }
  constexpr bool operator==(const OperandTile&) const = default;
};

static_assert(OperandTile{.rows = 128, .k = 64}.boxes() == 1);
static_assert(OperandTile{.rows = 128, .k = 64}.start(64, 3) == 64 * 128 + 96);
static_assert(OperandTile{.major = Major::mn, .rows = 128, .k = 64}.boxes() == 2);
static_assert(OperandTile{.major = Major::mn, .rows = 128, .k = 64}.start(64, 1) == 8192 + 2048);

}  // namespace tile
