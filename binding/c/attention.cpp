#include "tile/device/attention/attention.hpp"

#include "binding/c/attention_problem.hpp"
#include "binding/c/call.hpp"
#include "binding/c/plans.hpp"

namespace aisp::binding {
namespace {

using tile::device::Allocate;
using tile::device::AttentionProblem;

constexpr const char* attention_name = "attention";

void attention(const aisp_attention_arguments& given, cudaStream_t stream) {
  const HeadsOfCall heads = heads_of_call(attention_name, given);
  const OnDevice on(attention_name, heads.device);
  if (heads.empty) return;
  run_planned(heads.problem, stream, [](const AttentionProblem& one, const Allocate& allocate) {
    return tile::device::plan_attention(one, allocate);
  });
}

}  // namespace
}  // namespace aisp::binding

aisp_status aisp_attention(const aisp_attention_arguments* arguments, aisp_stream stream) {
  using namespace aisp::binding;
  return call(
      [&] { attention(taken(attention_name, arguments), static_cast<cudaStream_t>(stream)); });
}
