// The nodes of an epilogue tree that read or write memory, and names for the common trees. Nothing
// outside the extent is touched. Strides count elements.
#pragma once

#include "tile/atom/element_pointer.hpp"
#include "tile/collective/epilogue/fragment_memory.hpp"
#ifdef __CUDACC__
#include "tile/arch/warp.cuh"
#endif

namespace aisp::tile {

// One number for the whole output: `value`, or what `pointer` points to in device memory, where
// alpha and the scales of quantised tensors often are. A thread reads it once.
struct Scalar {
  struct Params {
    float value = 1;
    const float* pointer = nullptr;
  };
  struct State {
    float value = 0;
    bool known = false;
  };
  TILE_INLINE static TILE_FN float value_of(const Params& params, State& state) {
    if (!state.known) {
      state.value = params.pointer ? *params.pointer : params.value;
      state.known = true;
    }
    return state.value;
  }
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State& state,
                                                           const EpilogueFragment<V>&, OutputCoord,
                                                           Extent) {
    const float value = value_of(params, state);
    return {{{value, value}, {value, value}}};
  }
  TILE_INLINE static TILE_FN void finish(const Params&, State&) {}
};
static_assert(EpilogueNode<Scalar>);

// A number for each column n: a bias, or the scales of B. Of a batch, vector i is at i *
// batch_stride; 0 gives all the same one.
template <Element element>
struct ColumnVector : Stateless {
  struct Params {
    ElementPointer<element> data{};
    std::int64_t batch_stride = 0;
  };
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State&,
                                                           const EpilogueFragment<V>&,
                                                           OutputCoord coord, Extent extent) {
    const auto pair = detail::read_pair<element, Reading::read_only>(
        params.data, coord.batch * params.batch_stride + coord.column,
        extent.columns - coord.column);
    return {{{pair.first, pair.second}, {pair.first, pair.second}}};
  }
};

// A number for each row m: the scales of A, or a bias where the product is taken transposed. A
// thread reads it again only where the rows of its fragments change.
template <Element element>
struct RowVector {
  struct Params {
    ElementPointer<element> data{};
    std::int64_t batch_stride = 0;
  };
  struct State {
    int row = -1, batch = -1;
    float upper = 0, lower = 0;
  };
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State& state,
                                                           const EpilogueFragment<V>&,
                                                           OutputCoord coord, Extent extent) {
    if (state.row != coord.row || state.batch != coord.batch) {
      state.row = coord.row;
      state.batch = coord.batch;
      state.upper = one(params, coord, coord.row, extent);
      state.lower = one(params, coord, coord.row + 8, extent);
    }
    return {{{state.upper, state.upper}, {state.lower, state.lower}}};
  }
  TILE_INLINE static TILE_FN void finish(const Params&, State&) {}

 private:
  TILE_INLINE static TILE_FN float one(const Params& params, OutputCoord coord, int row,
                                       Extent extent) {
    const std::int64_t index = coord.batch * params.batch_stride + row;
    return detail::read_one<element, Reading::read_only>(params.data, index, row < extent.rows);
  }
};

// A matrix of the output's shape: C, or a residual. It may be the output itself: each element is
// read by the thread that then writes it.
template <Element element>
struct Source : Stateless {
  struct Params {
    ElementPointer<element> data{};
    std::int64_t stride = 0;  // from one row to the next
    std::int64_t batch_stride = 0;
  };
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State&,
                                                           const EpilogueFragment<V>&,
                                                           OutputCoord coord, Extent extent) {
    return load_fragment<element>(params.data, params.stride, params.batch_stride, coord, extent);
  }
};

// alpha X + beta C. C is not read where beta is 0: it may then be null, or hold NaN. At the root of
// a tree a kernel asks that once per tile: Reduced is the tree without C, and code without the
// branches around its loads stays in the instruction cache.
template <Element element, EpilogueNode X = Accumulator>
struct LinearCombination {
  struct Params {
    typename X::Params of{};
    Scalar::Params alpha{}, beta{.value = 0};
    typename Source<element>::Params source{};
  };
  struct State {
    typename X::State of{};
    Scalar::State alpha{}, beta{};
  };

  struct Reduced {
    using Params = LinearCombination::Params;
    using State = LinearCombination::State;
    template <class V>
    TILE_INLINE static TILE_FN EpilogueFragment<float> visit(
        const Params& params, State& state, const EpilogueFragment<V>& accumulators,
        OutputCoord coord, Extent extent) {
      return each(Scaling{Scalar::value_of(params.alpha, state.alpha)},
                  X::visit(params.of, state.of, accumulators, coord, extent));
    }
    TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
      X::finish(params.of, state.of);
    }
  };
  TILE_INLINE static TILE_FN bool reduces(const Params& params, State& state) {
    return Scalar::value_of(params.beta, state.beta) == 0;
  }

  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State& state,
                                                           const EpilogueFragment<V>& accumulators,
                                                           OutputCoord coord, Extent extent) {
    if (reduces(params, state)) return Reduced::visit(params, state, accumulators, coord, extent);
    const auto& source = params.source;
    return each(
        Combining{Scalar::value_of(params.alpha, state.alpha), state.beta.value},
        X::visit(params.of, state.of, accumulators, coord, extent),
        load_fragment<element>(source.data, source.stride, source.batch_stride, coord, extent));
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
  }

 private:
  struct Scaling {
    float alpha;
    TILE_FN float operator()(float x) const { return alpha * x; }
  };
  struct Combining {
    float alpha, beta;
    TILE_FN float operator()(float x, float c) const { return alpha * x + beta * c; }
  };
};

// Stores the value at this place of the tree to another matrix, and passes it on unrounded.
template <Element element, EpilogueNode X>
struct AuxStore {
  struct Params {
    typename X::Params of{};
    ElementPointer<element, void> data{};
    std::int64_t stride = 0;
    std::int64_t batch_stride = 0;
  };
  struct State {
    typename X::State of{};
  };
  template <class V>
  TILE_INLINE static TILE_FN auto visit(const Params& params, State& state,
                                        const EpilogueFragment<V>& accumulators, OutputCoord coord,
                                        Extent extent) {
    const auto value = X::visit(params.of, state.of, accumulators, coord, extent);
    store_fragment<element>(params.data, params.stride, params.batch_stride, value, coord, extent);
    return value;
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
  }
};

namespace detail {

// *to = max(*to, value), of numbers that are not negative and come from many threads. NaN wins: as
// unsigned integers the bits of such numbers are in their order, with NaN above infinity.
TILE_FN void raise(float* to, float value) {
#ifdef __CUDA_ARCH__
  atomicMax(reinterpret_cast<unsigned*>(to), __float_as_uint(value));
#else
  *to = larger(*to, value);
#endif
}

}  // namespace detail

// The largest absolute value at this place of the tree, over the whole output, into one float in
// global memory that holds 0 (or the maximum so far) before the launch. NaN wins.
template <EpilogueNode X>
struct Amax {
  struct Params {
    typename X::Params of{};
    float* largest = nullptr;
  };
  struct State {
    typename X::State of{};
    float largest = 0;
  };
  template <class V>
  TILE_INLINE static TILE_FN auto visit(const Params& params, State& state,
                                        const EpilogueFragment<V>& accumulators, OutputCoord coord,
                                        Extent extent) {
    const auto value = X::visit(params.of, state.of, accumulators, coord, extent);
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        if (extent.holds(coord.row + 8 * row, coord.column + column))
          state.largest =
              detail::larger(state.largest, std::fabs(static_cast<float>(value.at[row][column])));
    return value;
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
#ifdef __CUDA_ARCH__
    const unsigned bits = __reduce_max_sync(0xffffffff, __float_as_uint(state.largest));
    if (arch::lane_index() == 0) detail::raise(params.largest, __uint_as_float(bits));
#else
    detail::raise(params.largest, state.largest);
#endif
  }
};

// The largest absolute value of each row at this place of the tree, as dynamic quantisation by row
// wants it: into a float for each row m in global memory, which holds 0 (or the maximum so far)
// before the launch. Of a batch, vector i is at i * batch_stride. NaN wins, as in Amax.
template <EpilogueNode X>
struct RowAmax {
  struct Params {
    typename X::Params of{};
    float* largest = nullptr;
    std::int64_t batch_stride = 0;
  };
  // A thread's fragments go along two rows; when these change, their maxima are said.
  struct State {
    typename X::State of{};
    int row = -1, batch = 0, rows = 0;
    float upper = 0, lower = 0;
  };
  template <class V>
  TILE_INLINE static TILE_FN auto visit(const Params& params, State& state,
                                        const EpilogueFragment<V>& accumulators, OutputCoord coord,
                                        Extent extent) {
    const auto value = X::visit(params.of, state.of, accumulators, coord, extent);
    if (state.row != coord.row || state.batch != coord.batch) {
      say(params, state);
      state.row = coord.row;
      state.batch = coord.batch;
      state.rows = extent.rows;
      state.upper = state.lower = 0;
    }
    for (int column = 0; column < 2; ++column)
      if (coord.column + column < extent.columns) {
        state.upper = detail::larger(state.upper, magnitude(value.at[0][column]));
        state.lower = detail::larger(state.lower, magnitude(value.at[1][column]));
      }
    return value;
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
    say(params, state);
  }

 private:
  template <class V>
  TILE_INLINE static TILE_FN float magnitude(V value) {
    return std::fabs(static_cast<float>(value));
  }
  static TILE_FN void say(const Params& params, const State& state) {
    if (state.row < 0) return;
    float* const to = params.largest + state.batch * params.batch_stride + state.row;
    if (state.row < state.rows) detail::raise(to, state.upper);
    if (state.row + 8 < state.rows) detail::raise(to + 8, state.lower);
  }
};

static_assert(EpilogueNode<ColumnVector<Element::bf16>> && EpilogueNode<RowVector<Element::f32>> &&
              EpilogueNode<Source<Element::bf16>> &&
              EpilogueNode<LinearCombination<Element::bf16>> &&
              EpilogueNode<AuxStore<Element::e4m3, Accumulator>> &&
              EpilogueNode<Amax<Accumulator>> && EpilogueNode<RowAmax<Accumulator>>);

// alpha A B + beta C.
template <Element c>
using Linear = LinearCombination<c>;

// Quantised output is a scaled value that the output's element then saturates: Scaled<X> stored as
// e4m3.
template <EpilogueNode X>
using Scaled = Multiply<X, Scalar>;

// activation(X + bias), such as BiasActivation<Gelu, Element::bf16>.
template <template <class> class Activation, Element bias, EpilogueNode X = Accumulator>
using BiasActivation = Activation<Add<X, ColumnVector<bias>>>;

}  // namespace aisp::tile
