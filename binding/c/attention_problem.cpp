#include "binding/c/attention_problem.hpp"

#include <limits>

#include "base/refuse.hpp"
#include "binding/c/aisp.h"

namespace aisp::binding {
namespace {

using base::Exit;
using base::refuse;
using tile::Element;

int narrowed(const char* what, const Tensor& tensor, int at) {
  const std::int64_t extent = tensor.extent(at);
  if (extent > std::numeric_limits<int>::max())
    refuse(Exit::usage, what, ": ", tensor.text(), " has more than 2147483647 along one index");
  return static_cast<int>(extent);
}

void* data_of(const std::optional<Tensor>& tensor) { return tensor ? tensor->data() : nullptr; }

}  // namespace

WindowOfCall window_of_call(const char* what, int mask, int left, int right) {
  constexpr int unlimited = tile::device::unlimited;
  if (mask < AISP_FULL || mask > AISP_WINDOW)
    refuse(Exit::usage, what, ": there is no mask ", mask,
           "; 0 is AISP_FULL, 1 AISP_CAUSAL, 2 AISP_WINDOW");
  if (mask == AISP_WINDOW) {
    if (left < -1 || right < -1)
      refuse(Exit::usage, what,
             ": a window reaches 0 or more keys to each side, or -1 for all: got ", left, " and ",
             right);
    return {left, right};
  }
  const WindowOfCall own{unlimited, mask == AISP_CAUSAL ? 0 : unlimited};
  const bool unset = left == 0 && right == 0;
  if (!unset && (left != own.left || right != own.right))
    refuse(
        Exit::usage, what, ": window_left ", left, " and window_right ", right,
        " need mask AISP_WINDOW (2); it is ",
        mask == AISP_CAUSAL ? "AISP_CAUSAL (1)" : "AISP_FULL (0), and AISP_CAUSAL (1) is causal");
  return own;
}

std::optional<Tensor> optional_tensor(const char* what, const char* name, const aisp_tensor* given,
                                      Element element,
                                      std::initializer_list<std::int64_t> extents) {
  if (given == nullptr) return std::nullopt;
  std::optional<Tensor> tensor;
  tensor.emplace(what, name, given, std::initializer_list<int>{static_cast<int>(extents.size())});
  tensor->has(extents).holds({element}).without_gaps();
  return tensor;
}

template <class Arguments>
HeadsOfCall heads_of_call(const char* what, const Arguments& given) {
  const Tensor q(what, "q", given.q, {4}), k(what, "k", given.k, {4}), v(what, "v", given.v, {4}),
      o(what, "o", given.o, {4});
  const std::int64_t batch = q.extent(0), heads = q.extent(1), rows = q.extent(2),
                     size = q.extent(3);
  q.holds({Element::bf16, Element::f16});
  k.has({batch, k.extent(1), k.extent(2), size}).holds({q.element()});
  v.has({batch, k.extent(1), k.extent(2), size}).holds({q.element()});
  o.has({batch, heads, rows, size}).holds({q.element()});
  const auto log_sum_exp =
      optional_tensor(what, "log_sum_exp", given.log_sum_exp, Element::f32, {batch, heads, rows});
  const auto kv_lengths =
      optional_tensor(what, "kv_lengths", given.kv_lengths, Element::s32, {batch});
  const WindowOfCall window =
      window_of_call(what, given.mask, given.window_left, given.window_right);
  HeadsOfCall made;
  made.empty = o.count() == 0;
  const Tensor* const sums = log_sum_exp ? &*log_sum_exp : nullptr;
  const Tensor* const lengths = kv_lengths ? &*kv_lengths : nullptr;
  made.device = device_of(what, {&q, &k, &v, &o, sums, lengths});
  admit_result(what, o, {&q, &k, &v, lengths, sums});
  made.results.push_back(o);
  if (sums != nullptr) {
    admit_result(what, *sums, {&q, &k, &v, lengths});
    made.results.push_back(*sums);
  }
  made.problem = {.batch = narrowed(what, q, 0),
                  .query_heads = narrowed(what, q, 1),
                  .kv_heads = narrowed(what, k, 1),
                  .query_rows = narrowed(what, q, 2),
                  .kv_rows = narrowed(what, k, 2),
                  .head_size = narrowed(what, q, 3),
                  .scale = given.scale,
                  .window_left = window.left,
                  .window_right = window.right};
  made.problem.q = q.heads(), made.problem.k = k.heads();
  made.problem.v = v.heads(), made.problem.o = o.heads();
  made.problem.log_sum_exp = static_cast<float*>(data_of(log_sum_exp));
  made.problem.kv_lengths = static_cast<const std::int32_t*>(data_of(kv_lengths));
  return made;
}

template HeadsOfCall heads_of_call(const char*, const aisp_attention_arguments&);
template HeadsOfCall heads_of_call(const char*, const aisp_flex_attention_arguments&);

}  // namespace aisp::binding
