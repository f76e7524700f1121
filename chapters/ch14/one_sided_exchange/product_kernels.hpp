// A rank's share of a product whose k is cut into slices: every tile of C over its own slice, and
// the sum over all ranks for the rows that are its own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "chapters/ch14/one_sided_exchange/shape.hpp"

namespace aisp::ch14 {

// Of each rank, as all ranks see it.
struct ProductRank {
  float* slots = nullptr;          // (ranks, most rows, n): what the ranks bring for its rows
  std::uint32_t* flags = nullptr;  // (ranks, tiles): 1 when that tile of that rank is in its slot
  int first_tile_row = 0, end_tile_row = 0;
};

// Where the tiles of a rank go.
enum class Destination {
  partial,  // all into its own memory
  slots,    // each into its owner's slot
  // Tiles of others into their slots, each with a signal; those come first. Own tiles are added to
  // what the others have signalled. All ranks' kernels have to be on their devices at the same
  // time.
  slots_and_sum,
};

struct ProductArguments {
  const void *a = nullptr, *b = nullptr;  // (m, slice), (n, slice), bf16
  Destination to = Destination::partial;
  float* partial = nullptr;  // (m, n)
  float* result = nullptr;   // (own rows, n)
  int m = 0, n = 0, slice = 0, m_tiles = 0, n_tiles = 0;
  int rank = 0, ranks = 0;
  std::int64_t slot_stride = 0;  // floats of a rank's slot
  ProductRank of[most_ranks];
};

// Pairs of blocks of a product's kernel that every rank may have where the ranks wait for each
// other.
int co_resident_pairs(const std::vector<int>& devices);

// All tiles over the own slice, by at most so many pairs of blocks, 0: as many as fit. For the
// current device, on which what is returned has to be called.
std::function<void(cudaStream_t)> plan_product(const ProductArguments& arguments, int pairs);

// result = the sum of the own slots, in the order of the ranks; the own part is still in `partial`
// where that is where the tiles went.
void enqueue_sum_of_slots(const ProductArguments& arguments, cudaStream_t stream);

}  // namespace aisp::ch14
