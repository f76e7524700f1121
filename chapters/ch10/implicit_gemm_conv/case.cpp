// The forward convolution of image networks, NHWC in bf16: layers of a residual network, a strided
// one with a single tap, and one with dilation.
#include "lab/case/registry.hpp"
#include "lab/judge/conv_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::conv_problem("implicit_gemm_conv", size);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "implicit_gemm_conv";
  target.idea = "a convolution as a matrix product whose patches are never written";
  target.shows_in = lab::Count::distinct_bytes;
  target.axes = {"N", "H", "W", "C", "K", "R", "stride", "dilation"};
  target.variants = {""};
  target.full = {{"", {32, 56, 56, 64, 64, 3, 1, 1}},
                 {"", {32, 28, 28, 128, 128, 3, 1, 1}},
                 {"", {32, 14, 14, 256, 256, 3, 1, 1}},
                 {"", {32, 56, 56, 256, 512, 1, 2, 1}},
                 {"", {8, 64, 64, 512, 512, 3, 1, 2}}};
  // Tiles across images, two laps of the blocks; a stride over odd extents with channels that fill
  // no k-block; dilation and a second k-block of channels; one tap; more tiles than
  // multiprocessors.
  target.quick = {{"", {4, 24, 23, 64, 64, 3, 1, 1}},
                  {"", {2, 15, 13, 24, 40, 3, 2, 1}},
                  {"", {1, 14, 12, 72, 136, 3, 1, 2}},
                  {"", {3, 11, 10, 72, 264, 1, 2, 1}},
                  {"", {2, 32, 29, 16, 136, 1, 1, 1}}};
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
