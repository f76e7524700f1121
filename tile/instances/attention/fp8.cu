// Attention with roles in e4m3: 128 rows of queries, keys or values have one scale.
#include "tile/device/attention/configurations.hpp"
#include "tile/device/attention/plan_sm90.cuh"

namespace aisp::tile::device {
namespace {

template <int head_size>
struct Fp8Head : Sm90AttentionRecipe<forward_config(Element::e4m3, head_size, false)> {
  static_assert(Sm90AttentionConfig{}.block_rows() == fp8_scale_rows &&
                fp8_scale_rows == rows_per_scale);
};

}  // namespace

Plan plan_forward_fp8(const AttentionProblem& problem, const std::string& name,
                      const Allocate& allocate) {
  constexpr auto persistent = AttentionSchedule::persistent;
  switch (problem.head_size) {
    case 64:
      return plan_with<Fp8Head<64>>(problem, name, persistent, allocate);
    case 128:
      return plan_with<Fp8Head<128>>(problem, name, persistent, allocate);
    default:
      return plan_with<Fp8Head<256>>(problem, name, persistent, allocate);
  }
}

}  // namespace aisp::tile::device
