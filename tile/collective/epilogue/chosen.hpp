// Nodes whose work is chosen at the launch and not by their type: one compiled kernel then serves
// every bias and activation. Every thread of a launch takes the same branches.
#pragma once

#include "tile/collective/epilogue/activation.hpp"
#include "tile/collective/epilogue/nodes.hpp"

namespace aisp::tile {

// Applies one of the activations to X.
template <EpilogueNode X>
struct ChosenActivation {
  struct Params {
    typename X::Params of{};
    Activation activation = Activation::none;
  };
  struct State {
    typename X::State of{};
  };
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State& state,
                                                           const EpilogueFragment<V>& accumulators,
                                                           OutputCoord coord, Extent extent) {
    const EpilogueFragment<float> x = X::visit(params.of, state.of, accumulators, coord, extent);
    switch (params.activation) {
      case Activation::relu:
        return each(detail::Rectified{}, x);
      case Activation::gelu:
        return each(detail::GaussGated{}, x);
      case Activation::silu:
        return each(detail::SigmoidGated{}, x);
      default:
        return x;
    }
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
  }
};

// X plus what a vector node reads, where it has numbers: else X. Vector is ColumnVector, or
// RowVector where the product is taken transposed.
template <class Vector, EpilogueNode X>
struct PlusVector {
  struct Params {
    typename X::Params of{};
    typename Vector::Params vector{};  // data may be null
  };
  struct State {
    typename X::State of{};
    typename Vector::State vector{};
  };
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State& state,
                                                           const EpilogueFragment<V>& accumulators,
                                                           OutputCoord coord, Extent extent) {
    const EpilogueFragment<float> x = X::visit(params.of, state.of, accumulators, coord, extent);
    if (params.vector.data == nullptr) return x;
    return each(detail::Sum{}, x,
                Vector::visit(params.vector, state.vector, accumulators, coord, extent));
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
  }
};

template <Element element, EpilogueNode X>
struct PlusBias : PlusVector<ColumnVector<element>, X> {};
template <Element element, EpilogueNode X>
struct PlusRowBias : PlusVector<RowVector<element>, X> {};

static_assert(EpilogueNode<ChosenActivation<PlusBias<Element::bf16, Linear<Element::bf16>>>>);

}  // namespace aisp::tile
