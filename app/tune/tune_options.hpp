// What follows `aisp tune gemm`, as values.
#pragma once

#include <string>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/report/results.hpp"
#include "tile/device/gemm/tuned.hpp"

namespace aisp::app {

struct TuneOptions {
  std::vector<lab::Size> sizes;  // variant: the type; dims: M, N, K
  std::string against;           // "": nobody
  lab::Format format = lab::Format::table;
  int samples = 50;
  bool candidates = false, list = false, missing = false;
};

// Refuses (Exit::usage) what it does not know; `opponents` are the words that --against takes.
TuneOptions parse_tune_options(const std::vector<std::string>& words,
                               const std::vector<std::string>& opponents);

// The product of a size as the library looks it up: rows of A, of B transposed and of D contiguous.
tile::device::GemmKey key_of(const lab::Size& size);

// The same as a problem with inputs and reference. Refuses (Exit::usage) rows of A or B that are
// not a multiple of 16 bytes.
lab::Problem problem_of(const lab::Size& size);

}  // namespace aisp::app
