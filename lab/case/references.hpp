// References that several chapters need, in float64 on all cores.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/case/tensor.hpp"

namespace aisp::lab {

// c (m, n) = a (m, k) times b, all row-major; b is (n, k) when `b_is_nk`, else (k, n).
void gemm_reference(const HostTensor& a, const HostTensor& b, bool b_is_nk, std::int64_t m,
                    std::int64_t n, std::int64_t k, std::vector<double>& c);

}  // namespace aisp::lab
