// The form of mma.
#pragma once

#include <cstdint>

#include "sim/exec/form.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

struct MmaForm {
  Type a{}, b{}, c{}, d{};
  std::uint8_t m = 0, n = 0;
  std::uint8_t quarter_k = 0;  // k / 4
  bool saturate : 1 = false, sparse : 1 = false, a_column_major : 1 = false;
  bool b_row_major : 1 = false, exclusive_or : 1 = false;
  std::uint8_t selector : 3 = 0;  // which lanes of four hold the metadata; f64: the Round

  int k() const { return 4 * quarter_k; }
  int products() const { return sparse ? k() / 2 : k(); }
};

}  // namespace aisp::sim
