// How problems are found again: a number for each, and what is left of one without its addresses.
#pragma once

#include <bit>
#include <initializer_list>
#include <vector>

#include "tile/device/attention/problem.hpp"
#include "tile/device/gemm/block_scaled.hpp"

namespace aisp::binding {

// How many plans are kept. Those of groups have tables of their own in device memory, and groups
// that the data make seldom come again.
template <class Problem>
inline constexpr std::size_t most_kept = 4096;
template <>
inline constexpr std::size_t most_kept<std::vector<tile::device::GemmProblem>> = 64;

inline std::size_t mixed(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint64_t number : numbers)
    hash = std::rotl((hash ^ number) * 0x9e3779b97f4a7c15, 29);
  return hash;
}
inline std::uint64_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

inline std::size_t hash_of(const tile::device::GemmProblem& p) {
  return mixed({number_of(p.a.data), number_of(p.b.data), number_of(p.c.data), number_of(p.d.data),
                static_cast<std::uint64_t>(p.m), static_cast<std::uint64_t>(p.n),
                static_cast<std::uint64_t>(p.k), static_cast<std::uint64_t>(p.batch),
                number_of(p.bias.data), static_cast<std::uint64_t>(p.activation),
                std::bit_cast<std::uint32_t>(p.alpha)});  // 0 and -0 are equal, and not the same
}
inline std::size_t hash_of(const tile::device::BlockScaledProblem& p) {
  return mixed({hash_of(p.product), number_of(p.a.data), number_of(p.b.data), number_of(p.bias)});
}
inline std::size_t hash_of(const std::vector<tile::device::GemmProblem>& problems) {
  std::size_t hash = problems.size();
  for (const auto& one : problems) hash = mixed({hash, hash_of(one)});
  return hash;
}
inline std::size_t hash_of(const tile::device::AttentionProblem& p) {
  return mixed({number_of(p.q.data), number_of(p.k.data), number_of(p.v.data), number_of(p.o.data),
                static_cast<std::uint64_t>(p.query_rows), static_cast<std::uint64_t>(p.kv_rows)});
}

// Of an address what a kernel may be chosen by: whether it is one, and how it is aligned.
template <class T>
T* alignment_of(T* address) {
  constexpr std::uint64_t widest = 256;
  return address == nullptr ? nullptr : reinterpret_cast<T*>(widest + number_of(address) % widest);
}

inline tile::device::GemmProblem anywhere(tile::device::GemmProblem p) {
  for (auto* matrix : {&p.a, &p.b, &p.c, &p.d}) {
    matrix->data = alignment_of(matrix->data);
    matrix->scales = alignment_of(matrix->scales);
  }
  p.bias.data = alignment_of(p.bias.data);
  return p;
}
// Without packed or paged sequences.
inline tile::device::AttentionProblem anywhere(tile::device::AttentionProblem p) {
  for (auto* tensor : {&p.q, &p.k, &p.v, &p.o}) tensor->data = alignment_of(tensor->data);
  p.log_sum_exp = alignment_of(p.log_sum_exp);
  p.kv_lengths = alignment_of(p.kv_lengths);
  return p;
}

// For the cache of plans.
template <class Problem>
struct ProblemKeys {
  static constexpr std::size_t most = most_kept<Problem>;
  static std::size_t hash(const Problem& problem) { return hash_of(problem); }
  static Problem anywhere(const Problem& problem)  // where a problem has no tables of addresses
      requires(requires(const Problem& one) { binding::anywhere(one); }) {
    return binding::anywhere(problem);
  }
};

}  // namespace aisp::binding
