// Rung 0: the patches are written to memory as a matrix, r * s times as large as x, and the
// library's matrix product reads them from there. Where a pixel is its own patch (one tap, every
// pixel), x is that matrix already and nothing is copied. The gradient of x is the same backwards:
// the product writes what each tap brings, and a second kernel adds that up where taps have met.
#include "chapters/ch10/implicit_gemm_conv/im2col.hpp"
#include "chapters/ch10/implicit_gemm_conv/library_conv.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace tile::device;
using lab::ConvDirection;
using tile::Element;
using tile::Major;

struct Conv {
  lab::ConvShape shape;
  ConvDirection direction;
  Element in, out;

  // A pixel of x is its own patch.
  bool copies() const { return shape.taps() > 1 || shape.stride > 1 || shape.groups > 1; }
  bool data() const { return direction == ConvDirection::backward_data; }
  // The matrix between both kernels: patches, or f32 columns that are still to be added up.
  std::int64_t matrix_bytes() const {
    return shape.pixels() * shape.groups * shape.depth() * (data() ? 4 : bytes_of(in));
  }
};

// `first` and `second` are the inputs, with the patches in place of x; `out` the output, or the
// columns.
GemmProblem product(const Conv& conv, const void* first, const void* second, void* out) {
  const auto& s = conv.shape;
  const std::int64_t row = s.groups * s.depth();  // of patches
  switch (conv.direction) {
    case ConvDirection::forward: {
      GemmProblem y{.m = s.pixels(), .n = s.group_k(), .k = s.depth(), .batch = s.groups};
      y.a = {first, conv.in, row, Major::k, s.depth()};
      y.b = {second, conv.in, s.depth(), Major::k, s.group_k() * s.depth()};
      y.d = {out, conv.out, s.k, Major::k, s.group_k()};
      return y;
    }
    case ConvDirection::backward_data: {
      GemmProblem columns{.m = s.pixels(), .n = row, .k = s.k};
      columns.a = {first, conv.in, s.k};
      columns.b = {second, conv.in, row, Major::mn};
      columns.d = {out, conv.copies() ? Element::f32 : conv.out, row};
      return columns;
    }
    default: {
      GemmProblem dw{.m = s.k, .n = row, .k = s.pixels()};
      dw.a = {first, conv.in, s.k, Major::mn};
      dw.b = {second, conv.in, row, Major::mn};
      dw.d = {out, conv.out, row};
      return dw;
    }
  }
}

lab::Run prepare(lab::Setup& setup) {
  const auto [types, direction, groups] = lab::conv_variant(setup.problem().size.variant);
  const Conv conv{ch10::conv_shape(setup.problem()), direction, ch10::element_of(types.in),
                  ch10::element_of(types.out)};
  void* const matrix =
      conv.copies() ? setup.scratch(static_cast<std::size_t>(conv.matrix_bytes())) : nullptr;
  // By the rule alone: what has been tuned on this device does not count.
  void* stand_in = setup.scratch(256);
  const GemmProblem shape = product(conv, stand_in, stand_in, stand_in);
  const Choice choice = choose(shape, current_machine(), gemm_recipes());
  ch10::PlanWorkspace workspace;
  plan_gemm(shape, choice, workspace.first(ch10::flags_of(setup)));
  return lab::per_buffers([=](const lab::Launch& launch) -> lab::Enqueue {
    const void *first = launch.inputs.at(0), *second = launch.inputs.at(1);
    void* const out = launch.outputs.at(0);
    // x is the first input forward, the second one of the gradient of the filter.
    const bool forward = conv.direction == ConvDirection::forward;
    const void* const x = forward ? first : second;
    if (conv.copies() && !conv.data()) (forward ? first : second) = matrix;
    const auto plan =
        plan_gemm(product(conv, first, second, conv.data() && conv.copies() ? matrix : out), choice,
                  workspace.again());
    return [=](cudaStream_t stream) {
      if (conv.copies() && !conv.data())
        ch10::im2col::enqueue(conv.shape, bytes_of(conv.in), x, matrix, stream);
      plan.run(stream);
      if (conv.copies() && conv.data()) ch10::im2col::add_up(conv.shape, matrix, out, stream);
    };
  });
}

const lab::RungEntry entry{"ch10:implicit_gemm_conv",
                           {.name = "explicit_im2col",
                            .step = 0,
                            .builds_on = "",
                            .idea = "patches written to memory, then a matrix product",
                            .look_at = "two kernels; bytes written and read again between them",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
