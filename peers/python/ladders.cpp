// Where PyTorch and Triton stand beside the ladders, one line per target. They run with --peers.
#include "lab/case/registry.hpp"
#include "peers/python/peer.hpp"

using namespace aisp;

namespace {

struct Peer {
  const char* name;
  const char* function;
  const char* library;
  const char* idea;
  const char* look_at;
};

lab::RungEntry entry(const char* target, const Peer& peer) {
  return {target,
          {.name = peer.name,
           .idea = peer.idea,
           .look_at = peer.look_at,
           .peer = true,
           .library = peer.library,
           .prepare = peers::python_peer(peer.function)}};
}

Peer compiled(const char* function) {
  return {"torch_compile", function, "Triton", "plain PyTorch through torch.compile",
          "the kernel name says what was fused"};
}

constexpr Peer sdpa_cudnn{"sdpa_cudnn", "attention.sdpa_cudnn", "PyTorch",
                          "PyTorch's scaled_dot_product_attention, cuDNN and nothing else allowed",
                          "the kernel name: cuDNN's own"};
constexpr Peer sdpa_flash{"sdpa_flash", "attention.sdpa_flash", "PyTorch",
                          "PyTorch's scaled_dot_product_attention, FlashAttention alone allowed",
                          "the kernel name: which FlashAttention PyTorch carries"};
constexpr Peer flex{"torch_compile", "attention.torch_compile", "Triton",
                    "flex_attention through torch.compile, causal as a block mask",
                    "the Triton kernel that the compiler wrote"};
constexpr Peer triton{"triton", "triton_attention.attention", "Triton",
                      "a Triton kernel with an online softmax, eight block shapes searched",
                      "the row's note: which block shape won"};

const lab::RungEntry attention[] = {
    entry("ch10:attention", sdpa_cudnn),
    entry("ch10:attention", sdpa_flash),
    entry("ch10:attention", flex),
    entry("ch10:attention", triton),
    entry("ch10:attention_scaling", sdpa_cudnn),
    entry("ch10:attention_scaling", sdpa_flash),
    entry("ch10:attention_scaling", flex),
    entry("ch10:attention_scaling", triton),
    entry("ch10:flash_attention", sdpa_cudnn),
    entry("ch10:flash_attention", sdpa_flash),
    entry("ch10:flash_attention", flex),
    entry("ch10:flash_attention", triton),
    entry("ch10:flash_attn_tma_micro_pipeline", sdpa_cudnn),
    entry("ch10:flash_attn_tma_micro_pipeline", sdpa_flash),
    entry("ch10:flash_attn_tma_micro_pipeline", flex),
    entry("ch10:flash_attn_tma_micro_pipeline", triton),
};

const lab::RungEntry tensor_contraction = entry(
    "ch10:tensor_contraction",
    {"torch_einsum", "contraction.einsum", "PyTorch", "torch.einsum, its result made contiguous",
     "which tensors it copies before cuBLAS, and whether one behind it"});

const lab::RungEntry memory_bound[] = {
    entry("ch09:memory_bound", compiled("rows.memory_bound")),
    entry("ch09:fused_l2norm", compiled("rows.fused_l2norm")),
    entry("ch09:fused_norm_activation", compiled("rows.fused_norm_activation")),
};

constexpr Peer eager{"torch_eager", "row_programs.eager", "PyTorch",
                     "plain PyTorch, one operation after another",
                     "how many kernels there are, and what each reads again"};
constexpr Peer triton_rows{"triton", "triton_rows.program", "Triton",
                           "a Triton kernel that holds the row, number of warps searched",
                           "the row's note: how many warps won"};

const lab::RungEntry row_programs[] = {
    entry("ch09:tile_program", eager),
    entry("ch09:tile_program", compiled("row_programs.torch_compile")),
    entry("ch09:tile_program", triton_rows),
};

}  // namespace
