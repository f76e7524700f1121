#include "tile/device/attention/attention.hpp"

#include "binding/c/attention_problem.hpp"
#include "binding/c/call.hpp"
#include "binding/c/plans.hpp"

namespace aisp::binding {
namespace {

using tile::device::Allocate;
using tile::device::Plan;

constexpr const char* attention_name = "attention";

void attention(const aisp_attention_arguments& given, cudaStream_t stream) {
  static auto* const plans =
      new tile::device::PlanCache<Plan>(tile::device::WorkspaceSharing::by_shape);
  CallKey key;
  key.tensors({given.q, given.k, given.v, given.o, given.log_sum_exp, given.kv_lengths})
      .numbers(given.scale, given.window_left, given.window_right, given.mask);
  const auto planned = [&](const Allocate& allocate) -> Plan {
    const HeadsOfCall heads = heads_of_call(attention_name, given);
    admit_device(attention_name, heads.device);
    if (heads.empty) return tile::device::nothing_to_run();
    return tile::device::plan_attention(heads.problem, allocate);
  };
  run_planned(attention_name, *plans, key, given.o, stream, planned);
}

}  // namespace
}  // namespace aisp::binding

aisp_status aisp_attention(const aisp_attention_arguments* arguments, aisp_stream stream) {
  using namespace aisp::binding;
  return call(
      [&] { attention(taken(attention_name, arguments), static_cast<cudaStream_t>(stream)); });
}
