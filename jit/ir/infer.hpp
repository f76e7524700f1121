// The rules of shapes and element types, once for tracing, passes and the verifier: what an
// operation gives. What does not fit is refused by a line without place and subject; the caller
// knows both.
#pragma once

#include "jit/ir/function.hpp"

namespace aisp::jit {

// Operands, in this order, and attributes:
//   block         extent, size; integers: dimension          extent    integers: parameter, axis
//   choice        integers: chosen, candidates…; name        constant  number, element; integers: 1
//   for an index iota          integers: axis, extents…                   to        element view
//   starts…, extents of the tensor…; integers: parameter, extents of the tile… load          view;
//   element                              store, reduce_store   tile, view gather        index;
//   integers: parameter                 reshape, broadcast    integers: extents transpose integers:
//   axes                             reduce    integers: axis dot           a (m, k), b (k, n),
//   optionally sums (m, n) loop          extent, step, carried…; region: counter, carried… if
//   condition; regions: then, else
std::vector<Type> infer(const Function& function, const Operation& operation);

// The affine form of an index result.
Affine infer_affine(const Function& function, const Operation& operation);

}  // namespace aisp::jit
