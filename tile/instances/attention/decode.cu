// Attention of few queries to many keys: one kernel for each head size and type.
#include "tile/device/attention/configurations.hpp"
#include "tile/device/attention/plan_decode.cuh"

namespace aisp::tile::device {
namespace {

template <Element element>
Plan plan_size(const AttentionProblem& problem, const Allocate& allocate) {
  switch (problem.head_size) {
    case 64:
      return plan_decode_of<DecodeRecipe<element, 64>>(problem, allocate);
    case 96:
      return plan_decode_of<DecodeRecipe<element, 96>>(problem, allocate);
    case 128:
      return plan_decode_of<DecodeRecipe<element, 128>>(problem, allocate);
    case 256:
      return plan_decode_of<DecodeRecipe<element, 256>>(problem, allocate);
    default:
      base::refuse(base::Exit::usage, "attention takes heads of 64, 96, 128 and 256: got ",
                   problem.head_size, "; pad them with zeros");
  }
}

}  // namespace

Plan plan_decode(const AttentionProblem& problem, const Allocate& allocate) {
  if (problem.batch == 0 || problem.query_rows == 0)
    return {{base::say("decode_d", problem.head_size), {}}, {}};
  const std::int64_t rows = rows_sharing_keys(problem);
  if (rows > decode_rows)
    base::refuse(base::Exit::usage, "decode: ", problem.query_rows, " queries of ",
                 problem.query_heads / problem.kv_heads, " heads are ", rows,
                 " rows that share keys, at most ", decode_rows, " fit; use the forward kernel");
  if (problem.page_table != nullptr && (problem.page_rows < 16 || problem.page_rows % 16 != 0))
    base::refuse(base::Exit::usage, "decode: pages have multiples of 16 rows: got ",
                 problem.page_rows);
  switch (problem.q.element) {
    case Element::bf16:
      return plan_size<Element::bf16>(problem, allocate);
    case Element::f16:
      return plan_size<Element::f16>(problem, allocate);
    default:
      base::refuse(base::Exit::usage, "decode takes bf16 and f16: got ", name_of(problem.q.element),
                   "; use the forward kernel");
  }
}

}  // namespace aisp::tile::device
