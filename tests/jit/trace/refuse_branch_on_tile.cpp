// expect: a traced value has no truth on the host: choose with where(condition, a, b)
#include "jit/trace/trace.hpp"

using namespace aisp::jit;

const auto program = [](Input<1> x, Output<1> y) {
  auto v = x.load({0}, {32});
  if (v > 0) y.store({0}, v);
};
