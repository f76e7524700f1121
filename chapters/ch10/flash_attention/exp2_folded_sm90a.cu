// Rung 3: the exponent as one multiply-add. exp(scale * (s - largest)) is exp2(s * c - largest * c)
// with c = scale * log2(e): one instruction ahead of exp2 instead of three.
#include "chapters/ch10/flash_attention/one_role_launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr ch10::OneRoleConfig config(int head_size) {
  ch10::OneRoleConfig config = ch10::ladder_config(head_size);
  config.register_p = true;
  config.folded = true;
  return config;
}

struct Folded64 : ch10::OneRole<config(64)> {};
struct Folded128 : ch10::OneRole<config(128)> {};

const lab::RungEntry entry{"ch10:flash_attention",
                           {.name = "exp2_folded",
                            .step = 3,
                            .builds_on = "register_p",
                            .idea = "scale and log2(e) folded into one multiply-add ahead of exp2",
                            .look_at = "FMUL and FADD per score in the softmax",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch10::run_by_head_size<Folded64, Folded128>}};

}  // namespace
