// Where cuBLASLt stands beside the ladders of other chapters' targets, one line per target.
#include "lab/case/registry.hpp"
#include "peers/cublaslt/prepare.hpp"

using namespace aisp;

namespace {

struct Peer {
  const char* target;
  const char* name;
  const char* idea;
  const char* look_at;
  lab::Run (*prepare)(lab::Setup&);
  std::vector<std::string> variants{};  // empty: all
  bool rounds_between = false;
};

lab::RungEntry entry(const Peer& peer) {
  return {peer.target,
          {.name = peer.name,
           .idea = peer.idea,
           .look_at = peer.look_at,
           .peer = true,
           .rounds_between = peer.rounds_between,
           .variants = peer.variants,
           .prepare = peer.prepare}};
}

constexpr const char* search =
    "cuBLASLt, every offered algorithm timed with a cold L2, 64 MiB workspace";

Peer product(const char* target, const char* look_at, std::vector<std::string> variants = {}) {
  return {target,  "cublaslt_search",         search,
          look_at, peers::prepare_product_nk, std::move(variants)};
}

const lab::RungEntry products[] = {
    entry(product("ch09:tile_gemm", "the kernel name: tile, stages, wgmma")),
    entry(product("ch09:wgmma_tma_pipeline", "the kernel name: tile and stages")),
    entry(product("ch10:cluster_multicast", "the kernel name: the shape of its cluster")),
    entry(product("ch10:matmul", "the kernel name: tile, stages, cluster, split")),
    entry(product("ch10:matmul_recipes", "the kernel name: which recipe the shape gets")),
    entry(product("ch10:tensor_core_generations", "the kernel name: the newest instruction")),
};

const lab::RungEntry fp32 =
    entry({"ch10:double_buffered_pipeline", "cublas_fp32",
           "cuBLASLt in fp32 with TF32 off, fastest of its algorithms",
           "the kernel name says its tile and stages", peers::prepare_product_kn});

// The library fuses the bias; SiLU, amax and the quantisation of a bf16 product are not among its
// epilogues and cost a pass over memory.
const lab::RungEntry epilogues[] = {
    entry(product("ch10:epilogue_fusion", "the kernel name: tile, stages, split", {"plain"})),
    entry({"ch10:epilogue_fusion",
           "cublaslt_and_pass",
           "cuBLASLt adds the bias and writes f32, one pass does the rest",
           "the pass: 4 bytes in and 2 or 3 out per element, at the rate of memory",
           peers::prepare_product_and_pass,
           {"silu", "fp8"}}),
    entry({"ch10:epilogue_fusion",
           "cublaslt_bf16_and_pass",
           "cuBLASLt adds the bias and writes bf16, one pass does the rest",
           "the pass: 2 bytes in and 2 or 1 out per element, at the rate of memory",
           peers::prepare_bf16_product_and_pass,
           {"silu", "fp8"},
           true}),
};

const lab::RungEntry batches[] = {
    entry({"ch10:batch",
           "cublaslt_strided",
           "cuBLASLt's strided batch of the micro-batches, the weights shared by a stride of 0",
           "two launches; every micro-batch still reads all weights, from L2",
           peers::prepare_mlp_strided,
           {"mlp"}}),
    entry({"ch10:batch",
           "cublaslt_one_product",
           "cuBLASLt on all rows at once, max in its epilogue",
           "two launches, the weights read once",
           peers::prepare_mlp_one_product,
           {"mlp"}}),
    entry({"ch10:batch",
           "cublaslt_loop",
           "one cuBLASLt call per group, each with its own search",
           "small groups leave multiprocessors idle, one after another",
           peers::prepare_group_loop,
           {"grouped"}}),
};

}  // namespace
