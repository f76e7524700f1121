// The paged cache of keys and values: its shape, who is in it at which step, and the launches that
// fill and read it. A page holds 16 tokens of one sequence, keys and values of all layers.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/case/rung.hpp"

namespace aisp::ch11 {

inline constexpr int page_tokens = 16, head_size = 128;

struct CacheShape {
  std::int64_t layers, sequences, steps, heads;

  explicit CacheShape(const lab::Size& size)
      : layers(size.dims.at(0)),
        sequences(size.dims.at(1)),
        steps(size.dims.at(2)),
        heads(size.dims.at(3)) {}

  // Sequences join one after another, so that they come to the end of a page at different steps.
  static std::int64_t joins_at(std::int64_t sequence) { return sequence % page_tokens; }
  // In the cache when the step's own tokens are.
  static std::int64_t tokens_at(std::int64_t sequence, std::int64_t step) {
    return std::max<std::int64_t>(0, step + 1 - joins_at(sequence));
  }
  // The step's token of the sequence is the first of a page.
  static bool needs_page(std::int64_t sequence, std::int64_t step) {
    return tokens_at(sequence, step) % page_tokens == 1;
  }

  std::int64_t pages_per_sequence() const { return (steps + page_tokens - 1) / page_tokens; }
  std::int64_t table_entries() const { return sequences * pages_per_sequence(); }
  std::int64_t row() const { return heads * head_size; }  // elements: a key of all heads
  // Elements of a page: (layers, keys and values, page_tokens, heads, head_size).
  std::int64_t page_elements() const { return layers * 2 * page_tokens * row(); }
  std::size_t page_bytes() const { return 2 * static_cast<std::size_t>(page_elements()); }
};

// bf16 elements by their bits.
using Bits = std::uint16_t;

// Entry `slot` of the page table is this page from now on.
struct NewPage {
  std::int64_t slot;
  Bits* page;
};

// What a run works on. The table is (sequences, pages_per_sequence) addresses in device memory.
struct CacheRun {
  CacheShape shape;
  const Bits *q, *k, *v;  // (steps, layers, sequences, heads, head_size)
  Bits* pages;            // (sequences, pages_per_sequence, page_elements): the cache in the end
  Bits* o;                // like q
  Bits** table;

  CacheRun(const lab::Launch& launch, void* page_table)
      : shape(launch.problem.size),
        q(launch.in<Bits>(0)),
        k(launch.in<Bits>(1)),
        v(launch.in<Bits>(2)),
        pages(launch.out<Bits>(0)),
        o(launch.out<Bits>(1)),
        table(static_cast<Bits**>(page_table)) {}

  // The pages that the tokens of a step need, each from `take(bytes)`.
  template <class Take>
  std::vector<NewPage> take_pages(std::int64_t step, const Take& take) const {
    std::vector<NewPage> taken;
    for (std::int64_t sequence = 0; sequence < shape.sequences; ++sequence)
      if (CacheShape::needs_page(sequence, step))
        taken.push_back({sequence * shape.pages_per_sequence() +
                             (CacheShape::tokens_at(sequence, step) - 1) / page_tokens,
                         static_cast<Bits*>(take(shape.page_bytes()))});
    return taken;
  }
};

// Writes the pages into the table; their addresses travel as arguments of the kernel.
void enqueue_map(const CacheRun& run, std::span<const NewPage> pages, cudaStream_t stream);

// Puts the step's key and value of every sequence into its page.
void enqueue_append(const CacheRun& run, std::int64_t step, std::int64_t layer,
                    cudaStream_t stream);

// The step's query of every sequence and head attends to all its tokens in the cache; zeros where
// the sequence has not joined yet.
void enqueue_attention(const CacheRun& run, std::int64_t step, std::int64_t layer,
                       cudaStream_t stream);

// Copies every page to its place in the output, with zeros where it has no token.
void enqueue_gather(const CacheRun& run, cudaStream_t stream);

}  // namespace aisp::ch11
