// The convolution of image networks, NHWC: layers of a residual network, a strided one with a
// single tap, and one with dilation; other types, groups and both gradients as variants.
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
  target.shows_in = lab::Count::launches;
  target.aliases = {{"conv_f16", "f16"},
                    {"conv_e4m3", "e4m3"},
                    {"conv_s8", "s8"},
                    {"conv_groups", "groups"},
                    {"conv_backward_data", "backward_data"},
                    {"conv_backward_weights", "backward_weights"}};
  target.axes = {"N", "H", "W", "C", "K", "R", "stride", "dilation"};
  target.variants = {"", "f16", "e4m3", "s8", "groups", "backward_data", "backward_weights"};
  target.full = {{"", {32, 56, 56, 64, 64, 3, 1, 1}},
                 {"", {32, 28, 28, 128, 128, 3, 1, 1}},
                 {"", {32, 14, 14, 256, 256, 3, 1, 1}},
                 {"", {32, 56, 56, 256, 512, 1, 2, 1}},
                 {"", {8, 64, 64, 512, 512, 3, 1, 2}}};
  // The large layer in every type; groups as wide as a k-block; gradients of all layers, and of one
  // whose stride leaves taps for every class of pixels.
  for (const char* type : {"f16", "e4m3", "s8"})
    target.full.push_back({type, {8, 64, 64, 512, 512, 3, 1, 2}});
  target.full.push_back({"groups", {32, 28, 28, 256, 256, 3, 1, 1}});
  for (const char* gradient : {"backward_data", "backward_weights"}) {
    for (int layer = 0; layer < 5; ++layer)
      target.full.push_back({gradient, target.full[static_cast<std::size_t>(layer)].dims});
    target.full.push_back({gradient, {32, 56, 56, 128, 128, 3, 2, 1}});
  }
  // Tiles across images, two laps of the blocks; a stride over odd extents with channels that fill
  // no k-block; dilation and a second k-block of channels; one tap; more tiles than
  // multiprocessors.
  target.quick = {{"", {4, 24, 23, 64, 64, 3, 1, 1}},
                  {"", {2, 15, 13, 24, 40, 3, 2, 1}},
                  {"", {1, 14, 12, 72, 136, 3, 1, 2}},
                  {"", {3, 11, 10, 72, 264, 1, 2, 1}},
                  {"", {2, 32, 29, 16, 136, 1, 1, 1}}};
  // A second k-block of each type's channels, over odd extents; groups that fill none.
  target.quick.push_back({"f16", {1, 15, 13, 72, 40, 3, 2, 1}});
  for (const char* type : {"e4m3", "s8"})
    target.quick.push_back({type, {1, 11, 13, 144, 48, 3, 1, 2}});
  target.quick.push_back({"groups", {2, 9, 11, 96, 160, 3, 2, 1}});
  // Classes of pixels with different taps, at odd extents; without any; none but one.
  target.quick.push_back({"backward_data", {2, 15, 13, 24, 40, 3, 2, 1}});
  target.quick.push_back({"backward_data", {1, 11, 9, 72, 72, 1, 2, 1}});
  target.quick.push_back({"backward_weights", {2, 15, 13, 24, 40, 3, 2, 1}});
  target.quick.push_back({"backward_weights", {2, 12, 11, 72, 24, 3, 1, 2}});
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
