// How attention with functions is compiled.
#pragma once

#include <string>

#include "jit/cache/store.hpp"

namespace aisp::jit {

struct FlexOptions {
  // tanh and sigmoid as exact as f32 goes. Else the special-function unit's, which errs by up to
  // 2^-11: a soft cap of 20 by 1 % of a weight.
  bool precise = false;
  // The mask function on every score, windows too, and no block left out: what a block mask is
  // worth.
  bool every_block = false;
  // Of every eight exponentials of the softmax, those that leave the special-function unit to the
  // score function; -1: the rule's.
  int polynomials = -1;
  // Every run waits for its end and refuses a score that became NaN, with its place: to look for
  // one, not to be fast.
  bool find_nan = false;
  std::string architecture{};  // empty: the current device's
  Store* store = nullptr;      // null: the one in base::home()
};

}  // namespace aisp::jit
