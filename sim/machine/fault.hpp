// What stops a kernel: the fault as the handler saw it. The launcher adds kernel, block, thread and
// lines and turns it into one report.
#pragma once

#include <cstdint>
#include <string>

#include "sim/program/op.hpp"

namespace aisp::sim {

enum class FaultKind {
  out_of_bounds,        // cudaErrorIllegalAddress
  use_after_free,       // cudaErrorIllegalAddress
  host_pointer,         // cudaErrorIllegalAddress
  read_only,            // cudaErrorIllegalAddress: write to constant memory or to parameters
  no_peer_access,       // cudaErrorIllegalAddress: memory of a device that it cannot reach
  misaligned,           // cudaErrorMisalignedAddress
  bad_address_space,    // cudaErrorInvalidAddressSpace
  bad_pc,               // cudaErrorInvalidPc
  illegal_instruction,  // cudaErrorIllegalInstruction: misuse an instruction's rules forbid
  trap,                 // cudaErrorLaunchFailure
  assertion,            // cudaErrorAssert
  stack_overflow,       // cudaErrorLaunchFailure
  deadlock,             // cudaErrorLaunchTimeout
};

// Thrown by handlers and memory; `lane` is the first one at fault, -1 when it is the whole warp.
struct Fault {
  FaultKind kind{};
  std::string
      message;  // what happened, with numbers: "write of 4 bytes at 0x..., 16 bytes past ..."
  std::uint64_t address = 0;
  int lane = -1;
};

}  // namespace aisp::sim
