// The sizes of quantized_allreduce, and the names of what its rungs send.
#pragma once

#include <cstdint>

#include "comm/quantized/block_codes.hpp"
#include "lab/case/case.hpp"

namespace aisp::ch14 {

struct SumShape {
  std::int64_t count = 0;  // floats of a rank
  int ranks = 0;
  comm::Codes codes{};

  explicit SumShape(const lab::Size& size)
      : count(size.dims.at(0)),
        ranks(static_cast<int>(size.dims.at(1))),
        codes(size.variant == "e4m3" ? comm::Codes::e4m3 : comm::Codes::int8) {}
};

// What rungs that do not send f32 are judged by.
inline constexpr const char* bf16_numbers = "bf16";
inline constexpr const char* block_codes = "codes with a scale per block";

}  // namespace aisp::ch14
