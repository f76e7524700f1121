// The 32-bit instruction descriptor of tcgen05.mma: types and shape of a product.
#pragma once

#include <cstdint>
#include <string>

#include "sim/exec/matrix/tcgen05/form.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

struct MmaShape {
  Type a{}, b{}, d{};
  int m = 0, n = 0, k = 0;  // of the whole product, of both blocks of a pair
  bool saturate = false, negate_a = false, negate_b = false;
  bool a_mn_major = false, b_mn_major = false;
  int selector = 0;               // of the metadata of a sparse A
  bool scales_are_powers = true;  // ue8m0, not ue4m3
  int a_scale = 0, b_scale = 0;   // first byte of the scales in their words

  // Elements of A that are stored along k.
  int stored_k(bool sparse) const { return sparse ? k / 2 : k; }
};

// Throws Fault: every field that is not legal with this form has its refusal.
MmaShape mma_shape(std::uint32_t bits, const MmaForm& form);

}  // namespace aisp::sim
