// The game of life in bits: 32 cells a word, neighbours counted by adders of whole words, shifts
// across words by funnel shifts, on a torus.
#include <algorithm>

#include "check.hpp"

namespace {

constexpr int words = 4, width = 32 * words, height = 60, generations = 12;

// Adds a bit to a two-bit counter that stays at three.
__device__ void add(unsigned& low, unsigned& high, unsigned& over, unsigned bit) {
  const unsigned carry = low & bit;
  low ^= bit;
  over |= high & carry;
  high ^= carry;
}

__global__ void generation(const unsigned* in, unsigned* out) {
  const int word = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
  if (y >= height) return;
  unsigned low = 0, high = 0, over = 0, own = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned* row = in + (y + dy + height) % height * words;
    const unsigned here = row[word], before = row[(word + words - 1) % words],
                   behind = row[(word + 1) % words];
    add(low, high, over, __funnelshift_l(before, here, 1));
    add(low, high, over, __funnelshift_r(here, behind, 1));
    if (dy == 0)
      own = here;
    else
      add(low, high, over, here);
  }
  out[y * words + word] = high & ~over & (low | own);  // three, or two and alive
}

}  // namespace

int main() {
  const auto start = numbers(words * height, 6);
  const OnDevice<unsigned> a(start), b(start.size());
  unsigned *from = a.get(), *to = b.get();
  for (int i = 0; i < generations; ++i, std::swap(from, to))
    generation<<<blocks_for(height, 16), dim3(words, 16)>>>(from, to);
  finish();
  std::vector<bool> alive(width * height);
  for (int i = 0; i < width * height; ++i) alive[i] = start[i / 32] >> i % 32 & 1;
  for (int turn = 0; turn < generations; ++turn) {
    std::vector<bool> next(alive.size());
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int count = 0;
        for (int i = 0; i < 9; ++i)
          if (i != 4)
            count +=
                alive[(y + i / 3 - 1 + height) % height * width + (x + i % 3 - 1 + width) % width];
        next[y * width + x] = count == 3 || (count == 2 && alive[y * width + x]);
      }
    alive = next;
  }
  std::vector<unsigned> want(start.size());
  for (int i = 0; i < width * height; ++i) want[i / 32] |= unsigned(alive[i]) << i % 32;
  expect_equal(a.fetch(), want, "cells");
  return passed();
}
