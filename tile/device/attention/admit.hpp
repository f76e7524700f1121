// Which attention problems the library takes; others are refused with the rule and the numbers.
#pragma once

#include <algorithm>

#include "base/refuse.hpp"
#include "tile/device/attention/configurations.hpp"
#include "tile/device/launch/machine.hpp"

namespace aisp::tile::device {

inline void admit_sizes(const AttentionProblem& p) {
  if (p.batch < 0 || p.query_rows < 0 || p.kv_rows < 0 || p.query_heads < 1 || p.kv_heads < 1)
    base::refuse(base::Exit::usage, "attention: batch ", p.batch, ", ", p.query_rows, " queries, ",
                 p.kv_rows, " keys, ", p.query_heads, " and ", p.kv_heads,
                 " heads: none may be negative, heads at least 1");
  if (p.query_heads % p.kv_heads != 0)
    base::refuse(base::Exit::usage, "attention: ", p.query_heads, " query heads cannot share ",
                 p.kv_heads, " heads of keys evenly; their number must be a multiple");
  if (!has_forward(Element::bf16, p.head_size))
    base::refuse(base::Exit::usage, "attention: heads have 64, 96, 128 or 256 elements: got ",
                 p.head_size, "; pad q, k and v with zeros and give `scale`");
  constexpr std::int64_t most = 1 << 24;
  if (p.query_rows > most || p.kv_rows > most)
    base::refuse(base::Exit::usage, "attention: sequences have at most ", most, " rows: got ",
                 p.query_rows, " queries and ", p.kv_rows, " keys");
  const std::int64_t tiles = (p.query_rows + 63) / 64, sequences = p.batch;
  if (sequences * p.query_heads > (1 << 30) / std::max<std::int64_t>(1, tiles))
    base::refuse(base::Exit::usage, "attention: batch ", p.batch, " x ", p.query_heads, " heads x ",
                 p.query_rows, " queries are too many for one launch; split the batch");
  if (!(p.scale >= 0))
    base::refuse(base::Exit::usage, "attention: the scale of the scores must be positive: got ",
                 p.scale);
  if (p.window_left < unlimited || p.window_right < unlimited)
    base::refuse(base::Exit::usage, "attention: a window reaches 0 or more keys to each side, or ",
                 unlimited, " for all: got ", p.window_left, " and ", p.window_right);
}

inline void admit_elements(const AttentionProblem& p) {
  const Element element = p.q.element, out = element == Element::e4m3 ? Element::bf16 : element;
  if (element != Element::bf16 && element != Element::f16 && element != Element::e4m3)
    base::refuse(base::Exit::usage, "attention: q, k and v are bf16, f16 or e4m3: got ",
                 name_of(element));
  if (p.k.element != element || p.v.element != element || p.o.element != out)
    base::refuse(base::Exit::usage, "attention: q in ", name_of(element),
                 " needs k and v in the same and o in ", name_of(out), ": got ",
                 name_of(p.k.element), ", ", name_of(p.v.element), " and ", name_of(p.o.element));
  if (element != Element::e4m3) return;
  if (!has_forward(element, p.head_size))
    base::refuse(base::Exit::usage, "attention: e4m3 heads have 64, 128 or 256 elements: got ",
                 p.head_size);
  if (p.q_scales == nullptr || p.k_scales == nullptr || p.v_scales == nullptr)
    base::refuse(base::Exit::usage,
                 "attention: e4m3 needs q_scales, k_scales and v_scales, one number for ",
                 rows_per_scale, " rows of a head");
  if (p.query_starts != nullptr || p.page_table != nullptr)
    base::refuse(base::Exit::usage, "attention: e4m3 takes neither packed nor paged sequences");
}

inline void admit_tensor(const char* name, const HeadTensor& tensor, int heads, bool several) {
  const std::int64_t sixteen = 16 / bytes_of(tensor.element);
  if (tensor.data == nullptr) base::refuse(base::Exit::usage, "attention: ", name, " has no data");
  if (reinterpret_cast<std::uintptr_t>(tensor.data) % 16 != 0 || tensor.row_stride % sixteen != 0 ||
      (heads > 1 && tensor.head_stride % sixteen != 0) ||
      (several && tensor.batch_stride % sixteen != 0))
    base::refuse(base::Exit::usage, "attention: ", name,
                 " must be aligned to 16 bytes, its strides multiples of ", sixteen,
                 " elements: got ", tensor.row_stride, " (rows), ", tensor.head_stride,
                 " (heads), ", tensor.batch_stride, " (batch)");
}

inline void admit_layout(const AttentionProblem& p) {
  const bool packed = p.query_starts != nullptr, paged = p.page_table != nullptr;
  if (packed != (p.kv_starts != nullptr) && !(packed && paged))
    base::refuse(base::Exit::usage,
                 "attention: packed sequences need query_starts and kv_starts both");
  if (packed && p.query_total < 1)
    base::refuse(base::Exit::usage,
                 "attention: packed sequences need query_total, the rows of all: got ",
                 p.query_total);
  if (p.kv_starts != nullptr && (paged || p.kv_lengths != nullptr || p.kv_total < 1))
    base::refuse(base::Exit::usage,
                 "attention: packed keys need kv_total, and neither pages nor kv_lengths");
  if (paged) {
    if (p.page_rows < 16 || p.page_rows % 16 != 0 ||
        (p.page_rows < 128 ? 128 % p.page_rows : p.page_rows % 128) != 0)
      base::refuse(base::Exit::usage,
                   "attention: pages have 16, 32, 64 or a multiple of 128 rows: got ", p.page_rows);
    if (std::int64_t{p.pages_per_sequence} * p.page_rows < p.kv_rows || p.pages < 1)
      base::refuse(base::Exit::usage, "attention: ", p.pages_per_sequence, " pages of ",
                   p.page_rows, " rows do not hold ", p.kv_rows, " keys (and there are ", p.pages,
                   " pages in all)");
    if (p.kv_lengths == nullptr)
      base::refuse(base::Exit::usage,
                   "attention: paged keys need kv_lengths, the keys of each sequence");
  }
  const bool several = p.batch > 1 && !packed;
  admit_tensor("q", p.q, p.query_heads, several);
  admit_tensor("o", p.o, p.query_heads, several);
  if (has_no_keys(p)) return;
  admit_tensor("k", p.k, p.kv_heads, paged || (p.batch > 1 && p.kv_starts == nullptr));
  admit_tensor("v", p.v, p.kv_heads, paged || (p.batch > 1 && p.kv_starts == nullptr));
}

// False where there is nothing to compute.
inline bool admit_problem(const AttentionProblem& problem) {
  admit_sizes(problem);
  if (problem.batch == 0 || problem.query_rows == 0) return false;
  admit_elements(problem);
  admit_layout(problem);
  return true;
}

// For kernels with a user's functions, which there are for Hopper alone.
inline bool admit_hopper(const AttentionProblem& problem) {
  if (!admit_problem(problem)) return false;
  if (const Machine machine = current_machine(); !machine.hopper())
    base::refuse(base::Exit::environment,
                 "attention: its kernels are for sm_90a, this device is sm_", machine.architecture);
  return true;
}

// Hopper's kernels take all that admit_problem() does, Blackwell's what they are compiled for.
inline void admit_device(const AttentionProblem& p, const Machine& machine) {
  if (machine.hopper()) return;
  if (!machine.blackwell())
    base::refuse(base::Exit::environment,
                 "attention: its kernels are for sm_90a and sm_100a, this device is sm_",
                 machine.architecture);
  if (!has_forward_sm100(p.q.element, p.head_size))
    base::refuse(base::Exit::environment,
                 "attention: on sm_100a q, k and v are bf16 or f16, heads have 64 or 128 elements: "
                 "got ",
                 name_of(p.q.element), " and ", p.head_size,
                 "; shorter heads can be padded with zeros, with `scale` given");
}

}  // namespace aisp::tile::device
