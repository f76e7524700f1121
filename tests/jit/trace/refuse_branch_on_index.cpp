// expect: a traced value has no truth on the host: choose with where(condition, a, b)
#include "jit/trace/trace.hpp"

using namespace aisp::jit;

const auto program = [](Input<1> x, Output<1> y) {
  auto row = blocks(x.extent(0), 1);
  if (row == 0) y.store({row}, x.load({row}, {1}));
};
