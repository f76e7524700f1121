// expect: sum goes along an axis: write sum(v, axis(1)), or axis(-1) for the last
#include "jit/trace/trace.hpp"

using namespace aisp::jit;

const auto program = [](Input<1> x, Output<1> y) { y.store({0}, sum(x.load({0}, {32}), 0)); };
