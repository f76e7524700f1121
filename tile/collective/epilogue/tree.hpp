// The epilogue as a tree of types: what happens to the accumulators of an output tile on their way
// to memory. A node is a type with static functions, its children are template arguments; a kernel
// calls the root once for each fragment of its accumulators and stores what comes back:
//   using Tree = Silu<Add<Accumulator, ColumnVector<Element::bf16>>>;  // silu(A B + bias)
//   Tree::Params params{.of = {.right = {.data = bias}}};
// Nodes compute in float. They run on the host as well as in a kernel. Leaves that read or write
// memory: tile/collective/epilogue/nodes.hpp.
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include "tile/layout/target.hpp"
#ifdef __CUDACC__
#include "tile/arch/math.cuh"
#endif

namespace aisp::tile {

// What one thread holds of an accumulator atom: rows `row` and `row + 8`, columns `column` and
// `column + 1`. V is float, or std::int32_t for the accumulators of s8 products.
template <class V>
struct EpilogueFragment {
  V at[2][2];
};

// Of at[0][0], in the whole output. `column` is even.
struct OutputCoord {
  int row = 0, column = 0, batch = 0;
};

// Of the output, or of the matrix of a batch or group. A fragment may hang over the edge: a node
// neither reads nor writes memory there, and what it returns there is never stored.
struct Extent {
  int rows = 0, columns = 0;
  TILE_FN bool holds(int row, int column) const { return row < rows && column < columns; }
};

namespace detail {
template <class T>
inline constexpr bool is_epilogue_fragment = false;
template <class V>
inline constexpr bool is_epilogue_fragment<EpilogueFragment<V>> = true;
}  // namespace detail

template <class T>
concept AnyEpilogueFragment = detail::is_epilogue_fragment<T>;

// Params travel to the kernel by value. State is what one thread keeps in registers from the start
// of the kernel to its end. `finish` is called there once, by all threads of the warps involved.
template <class Node>
concept EpilogueNode = std::is_trivially_copyable_v<typename Node::Params> &&
    std::default_initializable<typename Node::State> &&
    requires(const typename Node::Params& params, typename Node::State& state,
             const EpilogueFragment<float>& accumulators, OutputCoord coord, Extent extent) {
  { Node::visit(params, state, accumulators, coord, extent) } -> AnyEpilogueFragment;
  Node::finish(params, state);
};

// A node that may do with less, as the parameters of a launch say: a kernel then runs `Reduced`.
template <class Node>
concept ReducibleNode = EpilogueNode<Node> && EpilogueNode<typename Node::Reduced> &&
    requires(const typename Node::Params& params, typename Node::State& state) {
  { Node::reduces(params, state) } -> std::same_as<bool>;
};

namespace detail {

// The approximation of the device has a relative error of at most 2^-11.
template <class T>  // a template, so that constexpr may call what is none
TILE_FN T hyperbolic_tangent(T x) {
#ifdef __CUDA_ARCH__
  return arch::tanh_approximate(x);
#else
  return std::tanh(x);
#endif
}

// NaN if either is: an activation must not hide one.
template <class T>
TILE_FN T larger(T a, T b) {
#ifdef __CUDA_ARCH__
  return arch::maximum_or_nan(a, b);
#else
  return a != a || a > b ? a : b;
#endif
}

struct Sum {
  TILE_FN float operator()(float a, float b) const { return a + b; }
};
struct Product {
  TILE_FN float operator()(float a, float b) const { return a * b; }
};
struct Larger {
  TILE_FN float operator()(float a, float b) const { return larger(a, b); }
};
struct Rectified {
  TILE_FN float operator()(float x) const { return larger(x, 0.0f); }
};
struct GaussGated {
  TILE_FN float operator()(float x) const {
    const float inner = x * (0.7978845608f + 0.0356774081f * x * x);  // sqrt(2/pi), times 0.044715
    const float half = 0.5f * x;
    return half + half * hyperbolic_tangent(inner);
  }
};
struct SigmoidGated {
  TILE_FN float operator()(float x) const {
    const float half = 0.5f * x;
    return half + half * hyperbolic_tangent(half);
  }
};

}  // namespace detail

// function(value, ...) at each of the four places, in float whatever the accumulators are.
template <class Function, class... V>
TILE_INLINE TILE_FN EpilogueFragment<float> each(Function function,
                                                 const EpilogueFragment<V>&... of) {
  return {
      {{function(static_cast<float>(of.at[0][0])...), function(static_cast<float>(of.at[0][1])...)},
       {function(static_cast<float>(of.at[1][0])...),
        function(static_cast<float>(of.at[1][1])...)}}};
}

// What a node without anything to keep or to end derives from.
struct Stateless {
  struct State {};
  template <class Params>
  TILE_INLINE static TILE_FN void finish(const Params&, State&) {}
};

// The accumulators of the main loop as they are: alone it keeps their type, so that the
// accumulators of s8 products can be stored exactly; every operation on them makes them float.
struct Accumulator : Stateless {
  struct Params {};
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<V> visit(const Params&, State&,
                                                       const EpilogueFragment<V>& accumulators,
                                                       OutputCoord, Extent) {
    return accumulators;
  }
};
static_assert(EpilogueNode<Accumulator>);

// A node of one child and a function float -> float without memory.
template <EpilogueNode X, class Function>
struct Unary {
  struct Params {
    typename X::Params of{};
  };
  struct State {
    typename X::State of{};
  };
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State& state,
                                                           const EpilogueFragment<V>& accumulators,
                                                           OutputCoord coord, Extent extent) {
    return each(Function{}, X::visit(params.of, state.of, accumulators, coord, extent));
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
  }
};

// A node of two children and a function (float, float) -> float.
template <EpilogueNode L, EpilogueNode R, class Function>
struct Binary {
  struct Params {
    typename L::Params left{};
    typename R::Params right{};
  };
  struct State {
    typename L::State left{};
    typename R::State right{};
  };
  template <class V>
  TILE_INLINE static TILE_FN EpilogueFragment<float> visit(const Params& params, State& state,
                                                           const EpilogueFragment<V>& accumulators,
                                                           OutputCoord coord, Extent extent) {
    const auto left = L::visit(params.left, state.left, accumulators, coord, extent);
    const auto right = R::visit(params.right, state.right, accumulators, coord, extent);
    return each(Function{}, left, right);
  }
  TILE_INLINE static TILE_FN void finish(const Params& params, State& state) {
    L::finish(params.left, state.left);
    R::finish(params.right, state.right);
  }
};

template <EpilogueNode L, EpilogueNode R>
struct Add : Binary<L, R, detail::Sum> {};
template <EpilogueNode L, EpilogueNode R>
struct Multiply : Binary<L, R, detail::Product> {};
template <EpilogueNode L, EpilogueNode R>
struct Maximum : Binary<L, R, detail::Larger> {};  // NaN wins

// max(x, 0); NaN stays NaN.
template <EpilogueNode X>
struct Relu : Unary<X, detail::Rectified> {};

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the tanh form: within 5e-4 of x Phi(x). The
// device's tanh adds at most 2^-12 |x|.
template <EpilogueNode X>
struct Gelu : Unary<X, detail::GaussGated> {};

// x sigmoid(x) = x/2 (1 + tanh(x/2)). The device's tanh adds at most 2^-12 |x|, a sixteenth of what
// rounding x to bf16 may; where tanh is -1 the result is exactly 0. -infinity gives NaN.
template <EpilogueNode X>
struct Silu : Unary<X, detail::SigmoidGated> {};

}  // namespace aisp::tile
