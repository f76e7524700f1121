// Recipes of this target: a configuration, and a tree for each variant. A tree gets its addresses
// from the buffers of a launch, so plans are made when those are known.
#pragma once

#include "chapters/ch10/epilogue_fusion/launch.hpp"
#include "lab/case/per_buffers.hpp"
#include "tile/collective/epilogue/nodes.hpp"
#include "tile/device/gemm/plan_sm90.cuh"

namespace aisp::ch10 {

using tile::Element;
using tile::Sm90Config;

// 128 x 256 by two warpgroups; two blocks share B.
constexpr Sm90Config cooperative(Element out) { return {.out = out, .cluster_m = 2}; }
// As many accumulators per thread by each warpgroup in turn: 128 x 128; 64 x 256 where staging
// 8-bit results takes the registers that a second half would need.
constexpr Sm90Config ping_pong(Element out) {
  if (bytes_of(out) == 1)
    return {.out = out, .tile_m = 64, .cluster_m = 2, .roles = tile::Roles::ping_pong};
  return {.out = out, .tile_n = 128, .stages = 6, .roles = tile::Roles::ping_pong};
}

// A bias for each column whose pairs are aligned and never cut by the edge, as this target's are:
// one load where the library's ColumnVector has to be ready for three.
struct ColumnPairs : tile::Stateless {
  struct Params {
    const float* data = nullptr;
  };
  template <class V>
  TILE_INLINE static TILE_FN tile::EpilogueFragment<float> visit(const Params& params, State&,
                                                                 const tile::EpilogueFragment<V>&,
                                                                 tile::OutputCoord coord,
                                                                 tile::Extent extent) {
    const std::uint64_t codes = tile::detail::read_if<tile::Reading::read_only>(
        coord.column < extent.columns,
        reinterpret_cast<const std::uint64_t*>(params.data + coord.column));
    const auto pair = tile::decode_pair<Element::f32>(codes);
    return {{{pair.first, pair.second}, {pair.first, pair.second}}};
  }
};

// v: the product and its bias.
using Biased = tile::Add<tile::Accumulator, ColumnPairs>;
inline Biased::Params biased(const EpilogueBuffers& buffers) {
  return {.right = {.data = buffers.bias}};
}

// Each variant: its output, its tree with a node for amax, and the tree's addresses.
struct Plain {
  static constexpr Element out = Element::bf16;
  template <template <class> class>
  using Tree = tile::Accumulator;
  template <class Tree>
  static typename Tree::Params params(const EpilogueBuffers&) {
    return {};
  }
};

struct SiluOfSum {
  static constexpr Element out = Element::bf16;
  template <template <class> class Amax>
  using Tree = Amax<tile::Silu<Biased>>;
  template <class Tree>
  static typename Tree::Params params(const EpilogueBuffers& buffers) {
    return {.of = {.of = biased(buffers)}, .largest = buffers.amax};
  }
  static auto& amax_of(auto& params) { return params; }
};

struct QuantisedSilu {
  static constexpr Element out = Element::e4m3;
  template <template <class> class Amax>
  using Tree = tile::Scaled<Amax<tile::Silu<tile::AuxStore<Element::bf16, Biased>>>>;
  template <class Tree>
  static typename Tree::Params params(const EpilogueBuffers& buffers) {
    return {
        .left = {.of = {.of = {.of = biased(buffers), .data = buffers.aux, .stride = buffers.n}},
                 .largest = buffers.amax},
        .right = {.pointer = buffers.scale}};
  }
  static auto& amax_of(auto& params) { return params.left; }
};

inline tile::device::GemmProblem product_of(const EpilogueBuffers& buffers, Element out) {
  return {.m = buffers.m,
          .n = buffers.n,
          .k = buffers.k,
          .a = {.data = buffers.a, .stride = buffers.k},
          .b = {.data = buffers.b, .stride = buffers.k},
          .d = {.data = buffers.d, .element = out, .stride = buffers.n}};
}

template <class Recipe>
lab::Enqueue plan_product(const EpilogueBuffers& buffers,
                          const typename Recipe::Tree::Params& tree) {
  return tile::device::plan<Recipe>(product_of(buffers, Recipe::config.out), tree);
}

template <Sm90Config config, class Tree_>
struct FusedRecipe : tile::Sm90Recipe<config, Tree_, tile::Persistent> {};

// One kernel, planned for a launch's buffers, before which amax is set to 0.
template <class Plan>
lab::Run zero_and_launch(const Plan& plan) {
  return lab::per_buffers([plan](const lab::Launch& launch) -> lab::Enqueue {
    const EpilogueBuffers buffers = epilogue_buffers(launch);
    const lab::Enqueue product = plan(buffers);
    return [product, amax = buffers.amax](cudaStream_t stream) {
      if (amax) lab::check_cuda(cudaMemsetAsync(amax, 0, sizeof *amax, stream), "amax = 0");
      product(stream);
    };
  });
}
template <class Variant, Sm90Config config>
lab::Run zero_and_run() {
  return zero_and_launch([](const EpilogueBuffers& buffers) {
    using Recipe = FusedRecipe<config, typename Variant::template Tree<tile::Amax>>;
    return plan_product<Recipe>(buffers, Variant::template params<typename Recipe::Tree>(buffers));
  });
}

}  // namespace aisp::ch10
