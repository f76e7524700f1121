// Functions that CUDA's own run-time support provides to kernels: vprintf, __assertfail, malloc,
// free, cudaGraphSetConditional.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/machine/warp.hpp"

namespace aisp::sim {

// `call` of one of CallSite::builtin's functions by the lanes of `mask`: arguments are read from
// the running lane group's frame at site.in[i].from, the result goes to site.out[0].to.
void run_builtin(Warp& warp, Mask mask, const CallSite& site);

// What a thread's printf reads, kept apart from simulated memory.
struct FormatSource {
  std::function<std::uint64_t(std::uint32_t offset, std::uint32_t bytes)> argument;
  std::function<std::string(std::uint64_t address)> text;  // of %s
};
struct Formatted {
  std::string text;
  int arguments = 0;  // consumed
};
// printf with the arguments laid out as CUDA does: each at the next multiple of its size, 4 or 8.
Formatted format_device(const std::string& format, const FormatSource& source);

}  // namespace aisp::sim
