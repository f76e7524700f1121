// Sums over modes of two tensors that do not lie as a matrix product wants them: the projection
// behind attention, whose heads stand outside of the rows, and the outer product mean of a network
// for proteins, whose result has both operands' residues outside of both channels.
#include "chapters/ch10/tensor_contraction/contraction.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::contraction_problem("tensor_contraction", size, ch10::contraction_shape(size));
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "tensor_contraction";
  target.idea = "tensors as hierarchical matrices: products without permuting anything";
  target.shows_in = lab::Count::distinct_bytes;
  // heads: b, h, s, d, e of bhsd,hde->bse; outer: s, i, j, c, d of sic,sjd->ijcd.
  target.axes = {"D1", "D2", "D3", "D4", "D5"};
  target.variants = {"heads", "outer"};
  target.full = {{"heads", {4, 16, 4096, 128, 1024}},
                 {"heads", {4, 16, 4096, 128, 2048}},
                 {"outer", {128, 256, 256, 32, 32}},
                 {"outer", {512, 256, 256, 32, 32}}};
  // Rows of two batches in a tile, heads that fill no k-block, odd extents everywhere; boxes that
  // hold the channels whole, and channels that fill none.
  target.quick = {{"heads", {3, 3, 75, 64, 136}},
                  {"heads", {2, 5, 33, 40, 264}},
                  {"outer", {40, 13, 9, 32, 32}},
                  {"outer", {70, 7, 5, 24, 16}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
