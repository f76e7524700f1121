// PyTorch's flex_attention beside the flex targets. A file of its own: whoever builds these targets
// alone has their peers.
#include "lab/case/registry.hpp"
#include "peers/python/peer.hpp"

using namespace aisp;

namespace {

lab::RungEntry compiled(const char* target) {
  return {target,
          {.name = "torch_flex",
           .idea = "PyTorch's flex_attention through torch.compile, its block mask made beforehand",
           .look_at = "the Triton kernel that the compiler wrote",
           .peer = true,
           .library = "Triton",
           .prepare = peers::python_peer("flex.torch_compile")}};
}
lab::RungEntry flash(const char* target) {
  return {target,
          {.name = "torch_flex_flash4",
           .idea = "the same with PyTorch's FlashAttention-4 back end, where that is installed",
           .look_at = "the kernel name",
           .peer = true,
           .library = "PyTorch",
           .prepare = peers::python_peer("flex.flash_4")}};
}

const lab::RungEntry entries[] = {
    compiled("ch14:flex_attention"),
    flash("ch14:flex_attention"),
    compiled("ch14:flex_attention_sparse"),
    flash("ch14:flex_attention_sparse"),
};

}  // namespace
